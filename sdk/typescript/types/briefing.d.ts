/** Many briefs in one call; a webhook that names `batch.completed` hears when the last production has ended. */
export class Batches {
    /**
     * @internal
     * @param {Transport} transport
     * @param {Events} events
     */
    constructor(transport: Transport, events: Events);
    /**
     * Trigger up to 1,000 briefs: `each` by itself, or `atomic`, all or none. With one key it happens once.
     *
     * @param {string} accountId
     * @param {Brief[]} briefs
     * @param {{ mode?: "each" | "atomic" } & PostOptions} [options]
     * @returns {Promise<Batch>}
     */
    trigger(accountId: string, briefs: Brief[], { mode, ...options }?: {
        mode?: "each" | "atomic";
    } & PostOptions): Promise<Batch>;
    /**
     * Yield the batches of an account, newest first.
     *
     * @param {string} accountId
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<Batch, void, undefined>}
     */
    list(accountId: string, options?: RequestOptions): AsyncGenerator<Batch, void, undefined>;
    /**
     * Return a batch with the numbers of its briefs by state.
     *
     * @param {string} batchId
     * @param {RequestOptions} [options]
     * @returns {Promise<Batch>}
     */
    get(batchId: string, options?: RequestOptions): Promise<Batch>;
    /**
     * Yield each brief's production, or why it was refused.
     *
     * @param {string} batchId
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<BatchItem, void, undefined>}
     */
    items(batchId: string, options?: RequestOptions): AsyncGenerator<BatchItem, void, undefined>;
    /**
     * Cancel every production of a batch that has not ended.
     *
     * @param {string} batchId
     * @param {PostOptions} [options]
     * @returns {Promise<Batch>}
     */
    cancel(batchId: string, options?: PostOptions): Promise<Batch>;
    /**
     * Trigger the cancelled productions of a batch again, each as a new one in its place.
     *
     * @param {string} batchId
     * @param {PostOptions} [options]
     * @returns {Promise<Batch>}
     */
    resume(batchId: string, options?: PostOptions): Promise<Batch>;
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
    wait(batchId: string, { onChange, timeoutSeconds, signal }?: {
        onChange?: (batch: Batch) => unknown;
        timeoutSeconds?: number;
        signal?: AbortSignal;
    }): Promise<Batch>;
    #private;
}
/** Briefs with variables such as `{{city}}`. */
export class Templates {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Add a template.
     *
     * @param {string} accountId
     * @param {NewTemplate} template
     * @param {PostOptions} [options]
     * @returns {Promise<Template>}
     */
    create(accountId: string, template: NewTemplate, options?: PostOptions): Promise<Template>;
    /**
     * Yield the templates of an account.
     *
     * @param {string} accountId
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<Template, void, undefined>}
     */
    list(accountId: string, options?: RequestOptions): AsyncGenerator<Template, void, undefined>;
    /**
     * Return a template.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {RequestOptions} [options]
     * @returns {Promise<Template>}
     */
    get(accountId: string, templateId: string, options?: RequestOptions): Promise<Template>;
    /**
     * Replace a template.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {NewTemplate} template
     * @param {RequestOptions} [options]
     * @returns {Promise<Template>}
     */
    replace(accountId: string, templateId: string, template: NewTemplate, options?: RequestOptions): Promise<Template>;
    /**
     * Remove a template.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {RequestOptions} [options]
     * @returns {Promise<void>}
     */
    delete(accountId: string, templateId: string, options?: RequestOptions): Promise<void>;
    /**
     * Return the brief that a template becomes with these values, its estimate, and its script if it is wanted.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {PreviewValues} values
     * @param {PostOptions} [options]
     * @returns {Promise<Preview>}
     */
    preview(accountId: string, templateId: string, values: PreviewValues, options?: PostOptions): Promise<Preview>;
    /**
     * Trigger a template with these values, once, however often the request must be sent.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {Values} values
     * @param {PostOptions} [options]
     * @returns {Promise<Production>}
     */
    trigger(accountId: string, templateId: string, values: Values, options?: PostOptions): Promise<Production>;
    /**
     * Trigger a template once for each row of a CSV table, as a batch.
     *
     * @param {string} accountId
     * @param {string} templateId
     * @param {string} csv
     * @param {{ mode?: "each" | "atomic" } & PostOptions} [options]
     * @returns {Promise<Batch>}
     */
    triggerTable(accountId: string, templateId: string, csv: string, { mode, ...options }?: {
        mode?: "each" | "atomic";
    } & PostOptions): Promise<Batch>;
    #private;
}
import type { Brief } from "../types/models.js";
import type { PostOptions } from "./transport.js";
import type { Batch } from "../types/models.js";
import type { RequestOptions } from "./transport.js";
import type { BatchItem } from "../types/models.js";
import type { Transport } from "./transport.js";
import type { Events } from "./events.js";
import type { NewTemplate } from "../types/models.js";
import type { Template } from "../types/models.js";
import type { PreviewValues } from "../types/models.js";
import type { Preview } from "../types/models.js";
import type { Values } from "../types/models.js";
import type { Production } from "../types/models.js";
