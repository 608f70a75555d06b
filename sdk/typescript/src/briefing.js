// Batches of briefs, and templates of briefs.

import { path } from "./transport.js";

/** @import { Batch, BatchItem, Brief, NewTemplate, Preview, PreviewValues, Production, Template, Values } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */

/** Many briefs in one call; a subscription to `batch.completed` hears when the last production has ended. */
export class Batches {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Trigger up to 1,000 briefs: `each` by itself, or `atomic`, all or none. With one key it happens once.
   *
   * @param {string} accountId
   * @param {Brief[]} briefs
   * @param {{ mode?: "each" | "atomic", idempotencyKey?: string }} [options]
   * @returns {Promise<Batch>}
   */
  async trigger(accountId, briefs, { mode = "each", idempotencyKey = crypto.randomUUID() } = {}) {
    const to = path`/v1/accounts/${accountId}/batches`;
    return this.#transport.send({ method: "POST", path: to, body: { mode, items: briefs }, idempotencyKey });
  }

  /**
   * Yield the batches of an account, newest first.
   *
   * @param {string} accountId
   * @returns {AsyncGenerator<Batch, void, undefined>}
   */
  list(accountId) {
    return this.#transport.entries(path`/v1/accounts/${accountId}/batches`);
  }

  /**
   * Return a batch with the numbers of its briefs by state.
   *
   * @param {string} batchId
   * @returns {Promise<Batch>}
   */
  async get(batchId) {
    return this.#transport.send({ method: "GET", path: path`/v1/batches/${batchId}` });
  }

  /**
   * Yield each brief's production, or why it was refused.
   *
   * @param {string} batchId
   * @returns {AsyncGenerator<BatchItem, void, undefined>}
   */
  items(batchId) {
    return this.#transport.entries(path`/v1/batches/${batchId}/items`);
  }

  /**
   * Cancel every production of a batch that has not ended.
   *
   * @param {string} batchId
   * @returns {Promise<Batch>}
   */
  async cancel(batchId) {
    return this.#transport.send({ method: "POST", path: path`/v1/batches/${batchId}/cancel` });
  }

  /**
   * Trigger the cancelled productions of a batch again, each as a new one in its place.
   *
   * @param {string} batchId
   * @returns {Promise<Batch>}
   */
  async resume(batchId) {
    return this.#transport.send({ method: "POST", path: path`/v1/batches/${batchId}/resume` });
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
   * Add a template. It is not repeated if its answer is lost.
   *
   * @param {string} accountId
   * @param {NewTemplate} template
   * @returns {Promise<Template>}
   */
  async create(accountId, template) {
    return this.#transport.send({ method: "POST", path: path`/v1/accounts/${accountId}/templates`, body: template });
  }

  /**
   * Yield the templates of an account.
   *
   * @param {string} accountId
   * @returns {AsyncGenerator<Template, void, undefined>}
   */
  list(accountId) {
    return this.#transport.entries(path`/v1/accounts/${accountId}/templates`);
  }

  /**
   * Return a template.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @returns {Promise<Template>}
   */
  async get(accountId, templateId) {
    return this.#transport.send({ method: "GET", path: path`/v1/accounts/${accountId}/templates/${templateId}` });
  }

  /**
   * Replace a template.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {NewTemplate} template
   * @returns {Promise<Template>}
   */
  async replace(accountId, templateId, template) {
    const call = { method: "PUT", path: path`/v1/accounts/${accountId}/templates/${templateId}`, body: template };
    return this.#transport.send(/** @type {import("./transport.js").Call} */ (call));
  }

  /**
   * Remove a template.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @returns {Promise<void>}
   */
  async delete(accountId, templateId) {
    const call = { method: "DELETE", path: path`/v1/accounts/${accountId}/templates/${templateId}`, isDoneIfGone: true };
    await this.#transport.send(/** @type {import("./transport.js").Call} */ (call));
  }

  /**
   * Return the brief that a template becomes with these values, its estimate, and its script if it is wanted.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {PreviewValues} values
   * @returns {Promise<Preview>}
   */
  async preview(accountId, templateId, values) {
    const to = path`/v1/accounts/${accountId}/templates/${templateId}/preview`;
    return this.#transport.send({ method: "POST", path: to, body: values, isReading: true });
  }

  /**
   * Trigger a template with these values, once, however often the request must be sent.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {Values} values
   * @param {{ idempotencyKey?: string }} [options]
   * @returns {Promise<Production>}
   */
  async trigger(accountId, templateId, values, { idempotencyKey = crypto.randomUUID() } = {}) {
    const to = path`/v1/accounts/${accountId}/templates/${templateId}/productions`;
    return this.#transport.send({ method: "POST", path: to, body: values, idempotencyKey });
  }

  /**
   * Trigger a template once for each row of a CSV table, as a batch.
   *
   * @param {string} accountId
   * @param {string} templateId
   * @param {string} csv
   * @param {{ mode?: "each" | "atomic", idempotencyKey?: string }} [options]
   * @returns {Promise<Batch>}
   */
  async triggerTable(accountId, templateId, csv, { mode = "each", idempotencyKey = crypto.randomUUID() } = {}) {
    const to = path`/v1/accounts/${accountId}/templates/${templateId}/batches`;
    return this.#transport.send({ method: "POST", path: to, body: { csv, mode }, idempotencyKey });
  }
}
