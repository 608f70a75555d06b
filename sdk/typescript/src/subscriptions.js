// Webhooks and their deliveries.

import { path } from "./transport.js";

/** @import { Delivery, NewSubscription, Ping, Queued, Registration, RolledSecret, SampleEvent, Subscription, WebhookChange, Window } from "../types/models.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */

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
   * @param {PostOptions} [options]
   * @returns {Promise<NewSubscription>}
   */
  async create(registration, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: "/v1/webhooks", body: registration });
  }

  /**
   * Yield every webhook.
   *
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<Subscription, void, undefined>}
   */
  list(options = {}) {
    return this.#transport.entries("/v1/webhooks", {}, options);
  }

  /**
   * Return a webhook.
   *
   * @param {string} subscriptionId
   * @param {RequestOptions} [options]
   * @returns {Promise<Subscription>}
   */
  async get(subscriptionId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/webhooks/${subscriptionId}` });
  }

  /**
   * Change where events are sent, or which; the secret and everything else stay.
   *
   * @param {string} subscriptionId
   * @param {WebhookChange} change
   * @param {RequestOptions} [options]
   * @returns {Promise<Subscription>}
   */
  async change(subscriptionId, change, options = {}) {
    return this.#transport.send({ ...options, method: "PATCH", path: path`/v1/webhooks/${subscriptionId}`, body: change });
  }

  /**
   * Send nothing until `resume`; what happens meanwhile waits.
   *
   * @param {string} subscriptionId
   * @param {PostOptions} [options]
   * @returns {Promise<Subscription>}
   */
  async pause(subscriptionId, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/webhooks/${subscriptionId}/pause` });
  }

  /**
   * Send again, beginning with what has waited.
   *
   * @param {string} subscriptionId
   * @param {PostOptions} [options]
   * @returns {Promise<Subscription>}
   */
  async resume(subscriptionId, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/webhooks/${subscriptionId}/resume` });
  }

  /**
   * End a webhook.
   *
   * @param {string} subscriptionId
   * @param {RequestOptions} [options]
   * @returns {Promise<void>}
   */
  async delete(subscriptionId, options = {}) {
    const call = { ...options, method: "DELETE", path: path`/v1/webhooks/${subscriptionId}`, isDoneIfGone: true, shape: "any" };
    await this.#transport.send(/** @type {import("./transport.js").Call} */ (call));
  }

  /**
   * Make a new signing secret; the old one signs too for `overlapHours`.
   *
   * @param {string} subscriptionId
   * @param {{ overlapHours?: number } & PostOptions} [options]
   * @returns {Promise<RolledSecret>}
   */
  async rollSecret(subscriptionId, { overlapHours = 24, ...options } = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/webhooks/${subscriptionId}/secret/roll`, body: { overlapHours } });
  }

  /**
   * Have a test event sent to the endpoint, or a sample of `eventType`; at most one a minute.
   *
   * @param {string} subscriptionId
   * @param {SampleEvent} [sample]
   * @param {PostOptions} [options]
   * @returns {Promise<Ping>}
   */
  async ping(subscriptionId, sample, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/webhooks/${subscriptionId}/ping`, body: sample });
  }

  /**
   * Have events sent again to an endpoint that had failed too often.
   *
   * @param {string} subscriptionId
   * @param {PostOptions} [options]
   * @returns {Promise<Subscription>}
   */
  async reinstate(subscriptionId, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/webhooks/${subscriptionId}/reinstate` });
  }

  /**
   * Yield the deliveries of a webhook, newest first, with every attempt.
   *
   * @param {string} subscriptionId
   * @param {{ status?: Delivery["status"][] } & RequestOptions} [options]
   * @returns {AsyncGenerator<Delivery, void, undefined>}
   */
  deliveries(subscriptionId, { status, ...options } = {}) {
    return this.#transport.entries(path`/v1/webhooks/${subscriptionId}/deliveries`, { status }, options);
  }

  /**
   * Send a delivery again.
   *
   * @param {string} subscriptionId
   * @param {string} deliveryId
   * @param {PostOptions} [options]
   * @returns {Promise<Delivery>}
   */
  async redeliver(subscriptionId, deliveryId, options = {}) {
    const to = path`/v1/webhooks/${subscriptionId}/deliveries/${deliveryId}/redeliver`;
    return this.#transport.send({ ...options, method: "POST", path: to });
  }

  /**
   * Send the events of a period again; one replay at a time.
   *
   * @param {string} subscriptionId
   * @param {Window} window
   * @param {PostOptions} [options]
   * @returns {Promise<Queued>}
   */
  async replay(subscriptionId, window, options = {}) {
    const to = path`/v1/webhooks/${subscriptionId}/replay`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: window });
  }
}
