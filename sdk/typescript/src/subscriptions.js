// Webhook subscriptions and their deliveries.

import { path } from "./transport.js";

/** @import { Delivery, NewSubscription, Ping, Queued, Registration, RolledSecret, SampleEvent, Subscription, WebhookChange, Window } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */

/** The webhooks of the partner. */
export class Webhooks {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Subscribe an endpoint. The answer alone has `signingSecret`: keep it where the receiver finds it.
   *
   * @param {Registration} registration
   * @param {{ idempotencyKey?: string }} [options]
   * @returns {Promise<NewSubscription>}
   */
  async create(registration, { idempotencyKey = crypto.randomUUID() } = {}) {
    return this.#transport.send({ method: "POST", path: "/v1/webhooks", body: registration, idempotencyKey });
  }

  /**
   * Yield every subscription.
   *
   * @returns {AsyncGenerator<Subscription, void, undefined>}
   */
  list() {
    return this.#transport.entries("/v1/webhooks");
  }

  /**
   * Return a subscription.
   *
   * @param {string} subscriptionId
   * @returns {Promise<Subscription>}
   */
  async get(subscriptionId) {
    return this.#transport.send({ method: "GET", path: path`/v1/webhooks/${subscriptionId}` });
  }

  /**
   * Change where events are sent, or which; the secret and everything else stay.
   *
   * @param {string} subscriptionId
   * @param {WebhookChange} change
   * @returns {Promise<Subscription>}
   */
  async change(subscriptionId, change) {
    return this.#transport.send({ method: "PATCH", path: path`/v1/webhooks/${subscriptionId}`, body: change });
  }

  /**
   * Send nothing until `resume`; what happens meanwhile waits.
   *
   * @param {string} subscriptionId
   * @returns {Promise<Subscription>}
   */
  async pause(subscriptionId) {
    return this.#transport.send({ method: "POST", path: path`/v1/webhooks/${subscriptionId}/pause` });
  }

  /**
   * Send again, beginning with what has waited.
   *
   * @param {string} subscriptionId
   * @returns {Promise<Subscription>}
   */
  async resume(subscriptionId) {
    return this.#transport.send({ method: "POST", path: path`/v1/webhooks/${subscriptionId}/resume` });
  }

  /**
   * End a subscription.
   *
   * @param {string} subscriptionId
   * @returns {Promise<void>}
   */
  async delete(subscriptionId) {
    await this.#transport.send({ method: "DELETE", path: path`/v1/webhooks/${subscriptionId}`, isDoneIfGone: true });
  }

  /**
   * Make a new signing secret; the old one signs too for `overlapHours`. It is not repeated if its answer is lost.
   *
   * @param {string} subscriptionId
   * @param {{ overlapHours?: number }} [options]
   * @returns {Promise<RolledSecret>}
   */
  async rollSecret(subscriptionId, { overlapHours = 24 } = {}) {
    return this.#transport.send({ method: "POST", path: path`/v1/webhooks/${subscriptionId}/secret/roll`, body: { overlapHours } });
  }

  /**
   * Have a test event sent to the endpoint, or a sample of `eventType`; at most one a minute.
   *
   * @param {string} subscriptionId
   * @param {SampleEvent} [sample]
   * @returns {Promise<Ping>}
   */
  async ping(subscriptionId, sample) {
    return this.#transport.send({ method: "POST", path: path`/v1/webhooks/${subscriptionId}/ping`, body: sample });
  }

  /**
   * Have events sent again to an endpoint that had failed too often.
   *
   * @param {string} subscriptionId
   * @returns {Promise<Subscription>}
   */
  async reinstate(subscriptionId) {
    return this.#transport.send({ method: "POST", path: path`/v1/webhooks/${subscriptionId}/reinstate` });
  }

  /**
   * Yield the deliveries of a subscription, newest first, with every attempt.
   *
   * @param {string} subscriptionId
   * @param {{ status?: Delivery["status"][] }} [options]
   * @returns {AsyncGenerator<Delivery, void, undefined>}
   */
  deliveries(subscriptionId, { status } = {}) {
    return this.#transport.entries(path`/v1/webhooks/${subscriptionId}/deliveries`, { status });
  }

  /**
   * Send a delivery again.
   *
   * @param {string} subscriptionId
   * @param {string} deliveryId
   * @param {{ idempotencyKey?: string }} [options]
   * @returns {Promise<Delivery>}
   */
  async redeliver(subscriptionId, deliveryId, { idempotencyKey = crypto.randomUUID() } = {}) {
    const to = path`/v1/webhooks/${subscriptionId}/deliveries/${deliveryId}/redeliver`;
    return this.#transport.send({ method: "POST", path: to, idempotencyKey });
  }

  /**
   * Send the events of a period again; one replay at a time.
   *
   * @param {string} subscriptionId
   * @param {Window} window
   * @param {{ idempotencyKey?: string }} [options]
   * @returns {Promise<Queued>}
   */
  async replay(subscriptionId, window, { idempotencyKey = crypto.randomUUID() } = {}) {
    const to = path`/v1/webhooks/${subscriptionId}/replay`;
    return this.#transport.send({ method: "POST", path: to, body: window, idempotencyKey });
  }
}
