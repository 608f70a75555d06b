// Productions: trigger them, follow them, wait for them.

import {
  Conflict, holdOf, InvalidResponse, PartnerProductionError, ProductionCancelled, ProductionFailed, waitedForProduction,
} from "./errors.js";
import { nextOf } from "./events.js";
import { path, sleep } from "./transport.js";

/** @import { Brief, Estimate, Event, Performance, Production, ProductionDeliveries, ProductionStatus, ProductionWithSteps, NewTranslation, Script, ScriptChange, Translation } from "../types/models.js" */
/** @import { Events } from "./events.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */

const FINAL = ["Published", "Failed", "Cancelled"];
const PLACE_SECONDS = 5; // between tries to get a place among the concurrent productions

/** The productions of the accounts that the key may use. */
export class Productions {
  #transport;
  #events;

  /**
   * @internal
   * @param {Transport} transport
   * @param {Events} events
   */
  constructor(transport, events) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Trigger a production, once, however often the request must be sent.
   *
   * `idempotencyKey`: one for each intention, such as an order number; by default a fresh one. With the same key the first answer
   * comes again for 24 hours. `waitForPlace`: how many seconds to wait until a production has finished where too many run already.
   *
   * @param {string} accountId
   * @param {Brief} brief
   * @param {{ waitForPlace?: number } & PostOptions} [options]
   * @returns {Promise<Production>}
   */
  async trigger(accountId, brief, { idempotencyKey = crypto.randomUUID(), waitForPlace = 0, ...options } = {}) {
    const until = Date.now() + 1000 * waitForPlace;
    for (;;) {
      try {
        const to = path`/v1/accounts/${accountId}/productions`;
        return await this.#transport.send({ ...options, method: "POST", path: to, body: brief, idempotencyKey });
      } catch (error) {
        const isFull = error instanceof Conflict && error.code === "CONCURRENCY_LIMIT_REACHED";
        if (!isFull || Date.now() >= until) throw error;
      }
      await sleep(Math.min(PLACE_SECONDS, Math.max(0, until - Date.now()) / 1000), options.signal);
    }
  }

  /**
   * Return cost, duration and warnings of a brief, and every gate that would refuse it now, without triggering it.
   *
   * @param {string} accountId
   * @param {Brief} brief
   * @param {PostOptions} [options]
   * @returns {Promise<Estimate>}
   */
  async estimate(accountId, brief, options = {}) {
    const to = path`/v1/accounts/${accountId}/productions/estimate`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: brief });
  }

  /**
   * Return a production as it is now.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<ProductionWithSteps>}
   */
  async get(productionId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/productions/${productionId}`, shape: "ProductionWithSteps" });
  }

  /**
   * Yield the productions of an account, newest first.
   *
   * `status`: only those in these states. `since`, `until`: only those that were triggered in this time, in ISO 8601.
   * `externalId`: only those with this reference of yours. `groupId`: only those that are the same in several languages.
   * `words`: only those whose title has words that begin with these.
   *
   * @param {string} accountId
   * @param {{ status?: ProductionStatus[], since?: string, until?: string, externalId?: string, groupId?: string, words?: string } & RequestOptions} [options]
   * @returns {AsyncGenerator<Production, void, undefined>}
   */
  list(accountId, { status, since, until, externalId, groupId, words, ...options } = {}) {
    const query = { status, from: since, to: until, externalId, groupId, q: words };
    return this.#transport.entries(path`/v1/accounts/${accountId}/productions`, query, options);
  }

  /**
   * Return the latest version of the script of a production that was triggered with `review: "script"`.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<Script>}
   */
  async script(productionId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/productions/${productionId}/script` });
  }

  /**
   * Change a script that is under review: all scenes in their order. Conflict: another version is the latest.
   *
   * @param {string} productionId
   * @param {ScriptChange} change
   * @param {RequestOptions} [options]
   * @returns {Promise<Script>}
   */
  async changeScript(productionId, change, options = {}) {
    return this.#transport.send({ ...options, method: "PUT", path: path`/v1/productions/${productionId}/script`, body: change });
  }

  /**
   * Return a small MP4 video of a scene that is under review, with its narration. It takes some seconds.
   *
   * @param {string} productionId
   * @param {number} sceneId
   * @param {PostOptions} [options]
   * @returns {Promise<Uint8Array>}
   */
  async previewScene(productionId, sceneId, options = {}) {
    const to = path`/v1/productions/${productionId}/script/preview`;
    const call = { ...options, method: "POST", path: to, body: { sceneId }, shape: "ScenePreview" };
    const answer = await this.#transport.respond(/** @type {import("./transport.js").Call} */ (call));
    try {
      return Uint8Array.from(atob(answer.body.content), (letter) => letter.charCodeAt(0));
    } catch (cause) {
      throw new InvalidResponse(answer.status, answer.headers, "The content of the answer is no Base64.", false, { cause });
    }
  }

  /**
   * Let a production go on with its script. `version`: the one that was read; by default the latest.
   *
   * @param {string} productionId
   * @param {{ version?: number | null } & PostOptions} [options]
   * @returns {Promise<Production>}
   */
  async approveScript(productionId, { version = null, ...options } = {}) {
    const to = path`/v1/productions/${productionId}/script/approve`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: { version } });
  }

  /**
   * End a production whose script is under review: it fails, and is not made. `version`: as for `approveScript`.
   *
   * @param {string} productionId
   * @param {{ version?: number | null, reason?: string | null } & PostOptions} [options]
   * @returns {Promise<Production>}
   */
  async rejectScript(productionId, { version = null, reason = null, ...options } = {}) {
    const to = path`/v1/productions/${productionId}/script/reject`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: { version, reason } });
  }

  /**
   * Let the script of a finished production be reviewed again before its release, to correct it.
   *
   * @param {string} productionId
   * @param {PostOptions} [options]
   * @returns {Promise<Production>}
   */
  async reopenScript(productionId, options = {}) {
    const to = path`/v1/productions/${productionId}/script/reopen`;
    return this.#transport.send({ ...options, method: "POST", path: to });
  }

  /**
   * Return what people are to translate of a brief that was triggered with `languageIds`, also as XLIFF.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<Translation>}
   */
  async translation(productionId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/productions/${productionId}/translation` });
  }

  /**
   * Send the translation of a brief, as segments or as XLIFF. Its production begins.
   *
   * @param {string} productionId
   * @param {NewTranslation} received
   * @param {RequestOptions} [options]
   * @returns {Promise<Translation>}
   */
  async translate(productionId, received, options = {}) {
    return this.#transport.send({ ...options, method: "PUT", path: path`/v1/productions/${productionId}/translation`, body: received });
  }

  /**
   * Cancel a production. Its status may be another one for a few seconds, while its work is being stopped.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<Production>}
   */
  async cancel(productionId, options = {}) {
    return this.#transport.send({ ...options, method: "DELETE", path: path`/v1/productions/${productionId}` });
  }

  /**
   * Yield the events of a production, oldest first.
   *
   * @param {string} productionId
   * @param {{ afterSequence?: number } & RequestOptions} [options]
   * @returns {AsyncGenerator<Event, void, undefined>}
   */
  events(productionId, { afterSequence = 0, ...options } = {}) {
    return this.#transport.entries(path`/v1/productions/${productionId}/events`, { afterSequence }, options, "Event");
  }

  /**
   * Yield, for each webhook, which of a production's events arrived and which did not.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<ProductionDeliveries, void, undefined>}
   */
  deliveries(productionId, options = {}) {
    return this.#transport.entries(path`/v1/productions/${productionId}/deliveries`, {}, options);
  }

  /**
   * Return the views of a published production.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<Performance>}
   */
  async performance(productionId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/productions/${productionId}/performance` });
  }

  /**
   * Wait until a production is published, and return it. ProductionFailed, ProductionCancelled, WaitTimedOut.
   *
   * It follows the service's event feed: a request waits there until something happens, so that this costs two requests a minute
   * and is as fast as a webhook. `onEvent` is called with each event of the production, from its first one on, once and in their
   * order. `onHold` is called with the production when it begins to wait for somebody: its `holdReason` says for what, or its
   * status is `AwaitingApproval`. Promises of both are awaited. `timeoutSeconds`: by default as long as it takes. `signal` ends
   * the waiting with its reason. Errors have the `production` as it was last read.
   *
   * @param {string} productionId
   * @param {{ onEvent?: (event: Event) => unknown, onHold?: (production: ProductionWithSteps) => unknown,
   *   timeoutSeconds?: number, signal?: AbortSignal }} [options]
   * @returns {Promise<ProductionWithSteps>}
   */
  async waitUntilPublished(productionId, { onEvent, onHold, timeoutSeconds = Infinity, signal } = {}) {
    /** @type {ProductionWithSteps | undefined} */
    let production;
    /** @type {string | null} */
    let hold = null;
    try {
      for await (production of this.#changes(productionId, onEvent, timeoutSeconds, signal)) {
        const now = holdOf(production);
        const isNew = now !== null && now !== hold;
        hold = now;
        if (!isNew) continue;
        this.#transport.logger?.info(`production ${productionId} waits: ${hold}`);
        await onHold?.(production);
      }
    } catch (error) {
      if (error instanceof PartnerProductionError && production) error.production ??= production;
      throw error;
    }
    const ended = /** @type {ProductionWithSteps} */ (production);
    if (ended.status === "Published") return ended;
    throw ended.status === "Failed" ? new ProductionFailed(ended) : new ProductionCancelled(ended);
  }

  /**
   * Yield a production as it is found, and after each of its events, until it has ended. WaitTimedOut.
   *
   * @param {string} productionId
   * @param {((event: Event) => unknown) | undefined} onEvent
   * @param {number} timeoutSeconds
   * @param {AbortSignal | undefined} signal
   * @returns {AsyncGenerator<ProductionWithSteps, void, undefined>}
   */
  async *#changes(productionId, onEvent, timeoutSeconds, signal) {
    const until = Date.now() + 1000 * timeoutSeconds;
    let cursor = await this.#events.latest({ signal });
    let production = await this.get(productionId, { signal });
    let last = await this.#tellFrom(productionId, 0, onEvent, signal);
    yield production;
    while (!FINAL.includes(production.status)) {
      if (Date.now() >= until) throw waitedForProduction(production, timeoutSeconds);
      const [next, newest] = await nextOf(this.#events, productionId, cursor, until, signal);
      cursor = next;
      if (newest && newest !== last) { // a later one may have a lower number: see sequenceNumber
        last = await this.#tellFrom(productionId, last, onEvent, signal);
        production = await this.get(productionId, { signal });
        yield production;
      }
    }
    await this.#tellFrom(productionId, last, onEvent, signal);
  }

  /**
   * Call back with every event after `last`, and return the number of the newest.
   *
   * @param {string} productionId
   * @param {number} last
   * @param {((event: Event) => unknown) | undefined} onEvent
   * @param {AbortSignal | undefined} signal
   */
  async #tellFrom(productionId, last, onEvent, signal) {
    for await (const event of this.events(productionId, { afterSequence: last, signal })) {
      last = event.sequenceNumber;
      await onEvent?.(event);
    }
    return last;
  }
}
