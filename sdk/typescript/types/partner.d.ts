/** @import { Request, Rotation, Usage, Verification } from "../types/models.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */
/** What belongs to the partner as a whole. */
export class Partner {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Return whose key this is and what it may do.
     *
     * @param {RequestOptions} [options]
     * @returns {Promise<Verification>}
     */
    verify(options?: RequestOptions): Promise<Verification>;
    /**
     * Make a new key and return it, once; the old one, which this client goes on using, ends after 24 hours.
     *
     * @param {PostOptions} [options]
     * @returns {Promise<Rotation>}
     */
    rotateKey(options?: PostOptions): Promise<Rotation>;
    /**
     * Return requests, productions and spend of the last months, the current one included.
     *
     * @param {{ months?: number } & RequestOptions} [options]
     * @returns {Promise<Usage>}
     */
    usage({ months, ...options }?: {
        months?: number;
    } & RequestOptions): Promise<Usage>;
    /**
     * Yield the requests of the partner, newest first; by default those of the last 24 hours.
     *
     * `since`, `until`: the time, in ISO 8601, at most 30 days. `statusClass`: 2, 4 or 5. `correlationId`: only those of this
     * `X-Correlation-Id`.
     *
     * @param {{ since?: string, until?: string, statusClass?: 2 | 4 | 5, correlationId?: string } & RequestOptions} [options]
     * @returns {AsyncGenerator<Request, void, undefined>}
     */
    requests({ since, until, statusClass, correlationId, ...options }?: {
        since?: string;
        until?: string;
        statusClass?: 2 | 4 | 5;
        correlationId?: string;
    } & RequestOptions): AsyncGenerator<Request, void, undefined>;
    #private;
}
import type { RequestOptions } from "./transport.js";
import type { Verification } from "../types/models.js";
import type { PostOptions } from "./transport.js";
import type { Rotation } from "../types/models.js";
import type { Usage } from "../types/models.js";
import type { Request } from "../types/models.js";
import type { Transport } from "./transport.js";
