/** @import { Request, Rotation, Usage, Verification } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */
/** What belongs to the partner as a whole. */
export class Partner {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Return whose key this is and what it may do.
     *
     * @returns {Promise<Verification>}
     */
    verify(): Promise<Verification>;
    /**
     * Make a new key and return it, once; the old one, which this client goes on using, ends after 24 hours.
     *
     * @param {{ idempotencyKey?: string }} [options]
     * @returns {Promise<Rotation>}
     */
    rotateKey({ idempotencyKey }?: {
        idempotencyKey?: string;
    }): Promise<Rotation>;
    /**
     * Return requests, productions and spend of the last months, the current one included.
     *
     * @param {{ months?: number }} [options]
     * @returns {Promise<Usage>}
     */
    usage({ months }?: {
        months?: number;
    }): Promise<Usage>;
    /**
     * Yield the requests of the partner, newest first; by default those of the last 24 hours.
     *
     * `since`, `until`: the time, in ISO 8601, at most 30 days. `statusClass`: 2, 4 or 5. `correlationId`: only those of this
     * `X-Correlation-Id`.
     *
     * @param {{ since?: string, until?: string, statusClass?: 2 | 4 | 5, correlationId?: string }} [options]
     * @returns {AsyncGenerator<Request, void, undefined>}
     */
    requests({ since, until, statusClass, correlationId }?: {
        since?: string;
        until?: string;
        statusClass?: 2 | 4 | 5;
        correlationId?: string;
    }): AsyncGenerator<Request, void, undefined>;
    #private;
}
import type { Verification } from "../types/models.js";
import type { Rotation } from "../types/models.js";
import type { Usage } from "../types/models.js";
import type { Request } from "../types/models.js";
import type { Transport } from "./transport.js";
