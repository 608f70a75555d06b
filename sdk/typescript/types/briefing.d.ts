/** @import { Batch, BatchItem, Brief, NewTemplate, Preview, PreviewValues, Production, Template, Values } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */
/** Many briefs in one call; a subscription to `batch.completed` hears when the last production has ended. */
export class Batches {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Trigger up to 1,000 briefs: `each` by itself, or `atomic`, all or none. With one key it happens once.
     *
     * @param {string} accountId
     * @param {Brief[]} briefs
     * @param {{ mode?: "each" | "atomic", idempotencyKey?: string }} [options]
     * @returns {Promise<Batch>}
     */
    trigger(accountId: string, briefs: Brief[], { mode, idempotencyKey }?: {
        mode?: "each" | "atomic";
        idempotencyKey?: string;
    }): Promise<Batch>;
    /**
     * Yield the batches of an account, newest first.
     *
     * @param {string} accountId
     * @returns {AsyncGenerator<Batch, void, undefined>}
     */
    list(accountId: string): AsyncGenerator<Batch, void, undefined>;
    /**
     * Return a batch with the numbers of its briefs by state.
     *
     * @param {string} batchId
     * @returns {Promise<Batch>}
     */
    get(batchId: string): Promise<Batch>;
    /**
     * Yield each brief's production, or why it was refused.
     *
     * @param {string} batchId
     * @returns {AsyncGenerator<BatchItem, void, undefined>}
     */
    items(batchId: string): AsyncGenerator<BatchItem, void, undefined>;
    /**
     * Cancel every production of a batch that has not ended.
     *
     * @param {string} batchId
     * @returns {Promise<Batch>}
     */
    cancel(batchId: string): Promise<Batch>;
    /**
     * Trigger the cancelled productions of a batch again, each as a new one in its place.
     *
     * @param {string} batchId
     * @returns {Promise<Batch>}
     */
    resume(batchId: string): Promise<Batch>;
    #private;
}
/** Briefs with variables such as `{{city}}`. */
export class Templates {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Add a template. It is not repeated if its answer is lost.
     *
     * @param {string} accountId
     * @param {NewTemplate} template
     * @returns {Promise<Template>}
     */
    create(accountId: string, template: NewTemplate): Promise<Template>;
    /**
     * Yield the templates of an account.
     *
     * @param {string} accountId
     * @returns {AsyncGenerator<Template, void, undefined>}
     */
    list(accountId: string): AsyncGenerator<Template, void, undefined>;
    /**
     * Return a template.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @returns {Promise<Template>}
     */
    get(accountId: string, templateId: string): Promise<Template>;
    /**
     * Replace a template.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {NewTemplate} template
     * @returns {Promise<Template>}
     */
    replace(accountId: string, templateId: string, template: NewTemplate): Promise<Template>;
    /**
     * Remove a template.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @returns {Promise<void>}
     */
    delete(accountId: string, templateId: string): Promise<void>;
    /**
     * Return the brief that a template becomes with these values, its estimate, and its script if it is wanted.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {PreviewValues} values
     * @returns {Promise<Preview>}
     */
    preview(accountId: string, templateId: string, values: PreviewValues): Promise<Preview>;
    /**
     * Trigger a template with these values, once, however often the request must be sent.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {Values} values
     * @param {{ idempotencyKey?: string }} [options]
     * @returns {Promise<Production>}
     */
    trigger(accountId: string, templateId: string, values: Values, { idempotencyKey }?: {
        idempotencyKey?: string;
    }): Promise<Production>;
    /**
     * Trigger a template once for each row of a CSV table, as a batch.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {string} csv
     * @param {{ mode?: "each" | "atomic", idempotencyKey?: string }} [options]
     * @returns {Promise<Batch>}
     */
    triggerTable(accountId: string, templateId: string, csv: string, { mode, idempotencyKey }?: {
        mode?: "each" | "atomic";
        idempotencyKey?: string;
    }): Promise<Batch>;
    #private;
}
import type { Brief } from "../types/models.js";
import type { Batch } from "../types/models.js";
import type { BatchItem } from "../types/models.js";
import type { Transport } from "./transport.js";
import type { NewTemplate } from "../types/models.js";
import type { Template } from "../types/models.js";
import type { PreviewValues } from "../types/models.js";
import type { Preview } from "../types/models.js";
import type { Values } from "../types/models.js";
import type { Production } from "../types/models.js";
