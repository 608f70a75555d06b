// Batches of briefs, and templates of briefs.

import { waitedForBatch } from "./errors.js";
import { held, rest } from "./events.js";
import { path } from "./transport.js";

/** @import { Batch, BatchItem, Brief, NewTemplate, Preview, PreviewValues, Production, Template, Values } from "../types/models.js" */
/** @import { Events } from "./events.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */

const ENDS = ["production.published", "production.failed", "production.cancelled", "batch.completed"];
// Of the counts of a batch: those of what has ended.
const ENDED = ["refused", "published", "failed", "cancelled", "removed"];
const SETTLING = 5000; // milliseconds

/** Many briefs in one call; a webhook that names `batch.completed` hears when the last production has ended. */
export class Batches {
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
   * Trigger up to 1,000 briefs: `each` by itself, or `atomic`, all or none. With one key it happens once.
   *
   * @param {string} accountId
   * @param {Brief[]} briefs
   * @param {{ mode?: "each" | "atomic" } & PostOptions} [options]
   * @returns {Promise<Batch>}
   */
  async trigger(accountId, briefs, { mode = "each", ...options } = {}) {
    const to = path`/v1/accounts/${accountId}/batches`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: { mode, items: briefs } });
  }

  /**
   * Yield the batches of an account, newest first.
   *
   * @param {string} accountId
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<Batch, void, undefined>}
   */
  list(accountId, options = {}) {
    return this.#transport.entries(path`/v1/accounts/${accountId}/batches`, {}, options);
  }

  /**
   * Return a batch with the numbers of its briefs by state.
   *
   * @param {string} batchId
   * @param {RequestOptions} [options]
   * @returns {Promise<Batch>}
   */
  async get(batchId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/batches/${batchId}`, shape: "Batch" });
  }

  /**
   * Yield each brief's production, or why it was refused.
   *
   * @param {string} batchId
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<BatchItem, void, undefined>}
   */
  items(batchId, options = {}) {
    return this.#transport.entries(path`/v1/batches/${batchId}/items`, {}, options);
  }

  /**
   * Cancel every production of a batch that has not ended.
   *
   * @param {string} batchId
   * @param {PostOptions} [options]
   * @returns {Promise<Batch>}
   */
  async cancel(batchId, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/batches/${batchId}/cancel` });
  }

  /**
   * Trigger the cancelled productions of a batch again, each as a new one in its place.
   *
   * @param {string} batchId
   * @param {PostOptions} [options]
   * @returns {Promise<Batch>}
   */
  async resume(batchId, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/batches/${batchId}/resume` });
  }

  /**
   * Wait until every production of a batch has ended, however it ended, and return the batch. WaitTimedOut.
   *
   * `onChange` is called with the batch at first, and with other `counts` whenever productions have ended; a promise is awaited.
   * `timeoutSeconds`: by default as long as it takes. `signal` ends the waiting with its reason.
   *
   * @param {string} batchId
   * @param {{ onChange?: (batch: Batch) => unknown, timeoutSeconds?: number, signal?: AbortSignal }} [options]
   * @returns {Promise<Batch>}
   */
  async wait(batchId, { onChange, timeoutSeconds = Infinity, signal } = {}) {
    const until = Date.now() + 1000 * timeoutSeconds;
    let cursor = await this.#events.latest({ signal });
    let batch = await this.get(batchId, { signal });
    await onChange?.(batch);
    while (batch.status !== "Finished") {
      if (Date.now() >= until) throw waitedForBatch(batch, timeoutSeconds);
      // No production is left to tell of an event: the end of a batch is recorded some seconds after theirs.
      const isOpen = Object.entries(batch.counts).some(([state, count]) => count && !ENDED.includes(state));
      const settles = isOpen ? until : Math.min(until, Date.now() + SETTLING);
      const feed = await held(this.#events, cursor, settles, signal);
      cursor = feed.nextCursor;
      if (!feed.data.length || feed.data.some((event) => ENDS.includes(event.eventType))) {
        const before = JSON.stringify(batch.counts);
        batch = await this.get(batchId, { signal });
        if (JSON.stringify(batch.counts) !== before) await onChange?.(batch);
      }
      if (batch.status !== "Finished") await rest(feed, until, signal);
    }
    return batch;
  }
}

/** Briefs with variables such as `{{city}}`. */
export class Templates {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Add a template.
   *
   * @param {string} accountId
   * @param {NewTemplate} template
   * @param {PostOptions} [options]
   * @returns {Promise<Template>}
   */
  async create(accountId, template, options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: path`/v1/accounts/${accountId}/templates`, body: template });
  }

  /**
   * Yield the templates of an account.
   *
   * @param {string} accountId
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<Template, void, undefined>}
   */
  list(accountId, options = {}) {
    return this.#transport.entries(path`/v1/accounts/${accountId}/templates`, {}, options);
  }

  /**
   * Return a template.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {RequestOptions} [options]
   * @returns {Promise<Template>}
   */
  async get(accountId, templateId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/accounts/${accountId}/templates/${templateId}` });
  }

  /**
   * Replace a template.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {NewTemplate} template
   * @param {RequestOptions} [options]
   * @returns {Promise<Template>}
   */
  async replace(accountId, templateId, template, options = {}) {
    const call = { ...options, method: "PUT", path: path`/v1/accounts/${accountId}/templates/${templateId}`, body: template };
    return this.#transport.send(/** @type {import("./transport.js").Call} */ (call));
  }

  /**
   * Remove a template.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {RequestOptions} [options]
   * @returns {Promise<void>}
   */
  async delete(accountId, templateId, options = {}) {
    const call = { ...options, method: "DELETE", path: path`/v1/accounts/${accountId}/templates/${templateId}`, isDoneIfGone: true, shape: "any" };
    await this.#transport.send(/** @type {import("./transport.js").Call} */ (call));
  }

  /**
   * Return the brief that a template becomes with these values, its estimate, and its script if it is wanted.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {PreviewValues} values
   * @param {PostOptions} [options]
   * @returns {Promise<Preview>}
   */
  async preview(accountId, templateId, values, options = {}) {
    const to = path`/v1/accounts/${accountId}/templates/${templateId}/preview`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: values });
  }

  /**
   * Trigger a template with these values, once, however often the request must be sent.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {Values} values
   * @param {PostOptions} [options]
   * @returns {Promise<Production>}
   */
  async trigger(accountId, templateId, values, options = {}) {
    const to = path`/v1/accounts/${accountId}/templates/${templateId}/productions`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: values });
  }

  /**
   * Trigger a template once for each row of a CSV table, as a batch.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {string} csv
   * @param {{ mode?: "each" | "atomic" } & PostOptions} [options]
   * @returns {Promise<Batch>}
   */
  async triggerTable(accountId, templateId, csv, { mode = "each", ...options } = {}) {
    const to = path`/v1/accounts/${accountId}/templates/${templateId}/batches`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: { csv, mode } });
  }
}
