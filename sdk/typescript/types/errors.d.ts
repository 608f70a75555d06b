/**
 * Return the error that an answer other than 2xx stands for.
 *
 * @internal
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export function ofAnswer(response: Response): Promise<ApiError>;
/** @import { ProductionWithSteps } from "../types/models.js" */
/** What every error of this package is. */
export class PartnerProductionError extends Error {
    /**
     * @param {string} message
     * @param {ErrorOptions} [options]
     */
    constructor(message: string, options?: ErrorOptions);
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
     */
    constructor(status: number, headers: Headers, text: string);
    /** The HTTP status. */
    status: number;
    /** The error code of the API, such as `INVALID_REQUEST`; `HTTP_502` and so on if the answer was not the API's. */
    code: string;
    /** What was wrong, and what would be right. */
    detail: string;
    /** On validation errors the messages by field. */
    fields: Record<string, string[]>;
    /** The seconds to wait before the next try, where the API says it. */
    retryAfter: number | null;
    /** What to quote to support. */
    correlationId: string | null;
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
    /** The production as it is now. */
    production: ProductionWithSteps;
}
/** The production has failed: `production.errorCode` and `production.errorMessage` say why. */
export class ProductionFailed extends ProductionEnded {
}
/** The production was cancelled. */
export class ProductionCancelled extends ProductionEnded {
}
/** The production was not published within the time given; it goes on. */
export class WaitTimedOut extends PartnerProductionError {
}
/** A webhook is not signed with the secret, or too old: answer 4xx and do not process it. */
export class InvalidSignature extends PartnerProductionError {
}
/** A downloaded file is not the one that the API describes; nothing was kept. */
export class HashMismatch extends PartnerProductionError {
}
import type { ProductionWithSteps } from "../types/models.js";
