/**
 * Return the error that an answer other than 2xx stands for; of its body whatever is legible.
 *
 * @internal
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export function ofAnswer(response: Response): Promise<ApiError>;
/**
 * Return why a production waits for somebody: its `holdReason`, or `AwaitingApproval`; null: it does not.
 *
 * @internal
 * @param {ProductionWithSteps} production
 * @returns {string | null}
 */
export function holdOf(production: ProductionWithSteps): string | null;
/**
 * Return the error of a wait that is over: it says why the production waits, where it does.
 *
 * @internal
 * @param {ProductionWithSteps} production
 * @param {number} seconds
 */
export function waitedForProduction(production: ProductionWithSteps, seconds: number): WaitTimedOut;
/**
 * Return the error of a wait that is over: it says what the batch's productions do.
 *
 * @internal
 * @param {Batch} batch
 * @param {number} seconds
 */
export function waitedForBatch(batch: Batch, seconds: number): WaitTimedOut;
/**
 * Return the beginning of an answer as one line of text.
 *
 * @internal
 * @param {string} text
 */
export function excerpt(text: string): string;
/** What every error of this package is. */
export class PartnerProductionError extends Error {
    /**
     * @param {string} message
     * @param {ErrorOptions} [options]
     */
    constructor(message: string, options?: ErrorOptions);
    /**
     * The production that it is about, as it was when it was last read; none if none had been.
     *
     * @type {ProductionWithSteps | undefined}
     */
    production: ProductionWithSteps | undefined;
    /**
     * Return what the error says, for logs and for other threads.
     *
     * @returns {Record<string, unknown>}
     */
    toJSON(): Record<string, unknown>;
}
/** No answer came, although the request was sent again as often as is allowed; `cause` says why. */
export class ConnectionFailed extends PartnerProductionError {
}
/** The API refused a request, or could not answer it. */
export class ApiError extends PartnerProductionError {
    /**
     * @param {number} status
     * @param {Headers} headers
     * @param {string} text The body of the answer.
     * @param {ErrorOptions} [options]
     */
    constructor(status: number, headers: Headers, text: string, options?: ErrorOptions);
    /** The HTTP status. */
    status: number;
    /** The error code of the API, such as `INVALID_REQUEST`; `HTTP_502` and so on if the answer was not the API's. */
    code: string;
    /** What was wrong, and what would be right; at most 1,000 characters, as `message`. */
    detail: string;
    /** On validation errors the messages by field. */
    fields: Record<string, string[]>;
    /** The seconds to wait before the next try, where the API says it. */
    retryAfter: number | null;
    /** What to quote to support. */
    correlationId: string | null;
    /** Those of the answer, with their names in lower case. */
    headers: {
        [k: string]: string;
    };
}
/** What came with a 2xx status is no answer of the API: HTML, JSON that was cut, or of another shape. */
export class InvalidResponse extends ApiError {
    /**
     * @param {number} status
     * @param {Headers} headers
     * @param {string} reason
     * @param {boolean} [isDamaged]
     * @param {ErrorOptions} [options]
     */
    constructor(status: number, headers: Headers, reason: string, isDamaged?: boolean, options?: ErrorOptions);
    /** Whether it was JSON, and was damaged on its way: then the request is sent again, if that cannot do anything twice. */
    isDamaged: boolean;
}
/** The request itself is wrong (400, 405, 413, 415, 422): sending it again does not help. */
export class InvalidRequest extends ApiError {
}
/** The key is missing, wrong or revoked (401). */
export class Unauthorized extends ApiError {
}
/** The key or the account may not do this (403), or a download link has expired. */
export class Forbidden extends ApiError {
}
/** There is no such thing, or the key may not see it (404). */
export class NotFound extends ApiError {
}
/** The state of something does not allow it (409); `code` says which rule. */
export class Conflict extends ApiError {
}
/** The requests of the minute or of the day are used up (429): wait for `retryAfter` seconds. */
export class RateLimited extends ApiError {
}
/** The service cannot answer now (5xx). */
export class Unavailable extends ApiError {
}
/** A production has ended without being published. */
export class ProductionEnded extends PartnerProductionError {
    /** @param {ProductionWithSteps} production */
    constructor(production: ProductionWithSteps);
    /**
     * The production as it is now.
     *
     * @type {ProductionWithSteps}
     */
    production: ProductionWithSteps;
}
/** The production has failed: `production.errorCode` and `production.errorMessage` say why. */
export class ProductionFailed extends ProductionEnded {
}
/** The production was cancelled. */
export class ProductionCancelled extends ProductionEnded {
}
/** What was waited for has not come within the time given; it goes on. */
export class WaitTimedOut extends PartnerProductionError {
    /**
     * @param {string} message
     * @param {{ production?: ProductionWithSteps, batch?: Batch }} [about]
     */
    constructor(message: string, { production, batch }?: {
        production?: ProductionWithSteps;
        batch?: Batch;
    });
    /** The batch as it was last read; none if a production was waited for. */
    batch: Batch | undefined;
}
/** @typedef {"missing" | "mismatch" | "too_old" | "too_new" | "parsed_body" | "not_json"} SignatureProblem */
/** A webhook is not signed with the secret, or too old: answer 4xx and do not process it. */
export class InvalidSignature extends PartnerProductionError {
    /**
     * @param {string} message
     * @param {SignatureProblem} [reason]
     * @param {ErrorOptions} [options]
     */
    constructor(message: string, reason?: SignatureProblem, options?: ErrorOptions);
    /**
     * `missing`: a header of the signature is not there. `mismatch`: it was not made with this secret over these bytes.
     * `too_old`, `too_new`: the time of sending is not of these minutes. `parsed_body`: the body was given as an object, not as
     * its raw bytes. `not_json`: the body is signed, but no JSON object.
     */
    reason: SignatureProblem;
}
/** A downloaded file is not the one that the API describes; nothing was kept. */
export class HashMismatch extends PartnerProductionError {
    /**
     * @param {string} message
     * @param {Deliverable} [deliverable]
     */
    constructor(message: string, deliverable?: Deliverable);
    /** The file, as the API describes it. */
    deliverable: Deliverable | undefined;
}
export type SignatureProblem = "missing" | "mismatch" | "too_old" | "too_new" | "parsed_body" | "not_json";
import type { ProductionWithSteps } from "../types/models.js";
import type { Batch } from "../types/models.js";
import type { Deliverable } from "../types/models.js";
