// The errors that the SDK throws: all of them are a PartnerProductionError.

/** @import { ProductionWithSteps } from "../types/models.js" */

/** What every error of this package is. */
export class PartnerProductionError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came, although the request was sent again as often as is allowed; `cause` says why. */
export class ConnectionFailed extends PartnerProductionError {}

/** The API refused a request, or could not answer it. */
export class ApiError extends PartnerProductionError {
  /**
   * @param {number} status
   * @param {Headers} headers
   * @param {string} text The body of the answer.
   */
  constructor(status, headers, text) {
    const envelope = readEnvelope(text);
    const code = String(envelope.error ?? `HTTP_${status}`);
    const said = String(envelope.message ?? (text.slice(0, 200) || "The answer is empty."));
    const fields = /** @type {Record<string, string[]>} */ (envelope.fields ?? {});
    super(`${status} ${code}: ${said}${Object.entries(fields).map(([name, each]) => ` ${name}: ${each.join(" ")}`).join("")}`);
    /** The HTTP status. */
    this.status = status;
    /** The error code of the API, such as `INVALID_REQUEST`; `HTTP_502` and so on if the answer was not the API's. */
    this.code = code;
    /** What was wrong, and what would be right. */
    this.detail = said;
    /** On validation errors the messages by field. */
    this.fields = fields;
    /** The seconds to wait before the next try, where the API says it. */
    this.retryAfter = readSeconds(envelope.retryAfterSeconds) ?? readSeconds(headers.get("retry-after"));
    /** What to quote to support. */
    this.correlationId = /** @type {string | null} */ (envelope.correlationId ?? headers.get("x-correlation-id"));
  }
}

/** The request itself is wrong (400, 405, 413, 415, 422): sending it again does not help. */
export class InvalidRequest extends ApiError {}

/** The key is missing, wrong or revoked (401). */
export class Unauthorized extends ApiError {}

/** The key or the account may not do this (403), or a download link has expired. */
export class Forbidden extends ApiError {}

/** There is no such thing, or the key may not see it (404). */
export class NotFound extends ApiError {}

/** The state of something does not allow it (409); `code` says which rule. */
export class Conflict extends ApiError {}

/** The requests of the minute or of the day are used up (429): wait for `retryAfter` seconds. */
export class RateLimited extends ApiError {}

/** The service cannot answer now (5xx). */
export class Unavailable extends ApiError {}

/** A production has ended without being published. */
export class ProductionEnded extends PartnerProductionError {
  /** @param {ProductionWithSteps} production */
  constructor(production) {
    const reason = production.errorCode ? ` (${production.errorCode}): ${production.errorMessage}` : "";
    super(`production ${production.productionId} is ${production.status}${reason}`);
    /** The production as it is now. */
    this.production = production;
  }
}

/** The production has failed: `production.errorCode` and `production.errorMessage` say why. */
export class ProductionFailed extends ProductionEnded {}

/** The production was cancelled. */
export class ProductionCancelled extends ProductionEnded {}

/** The production was not published within the time given; it goes on. */
export class WaitTimedOut extends PartnerProductionError {}

/** A webhook is not signed with the secret, or too old: answer 4xx and do not process it. */
export class InvalidSignature extends PartnerProductionError {}

/** A downloaded file is not the one that the API describes; nothing was kept. */
export class HashMismatch extends PartnerProductionError {}

/** @type {Record<number, typeof ApiError>} */
const KINDS = { 401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: RateLimited };

/**
 * Return the error that an answer other than 2xx stands for.
 *
 * @internal
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export async function ofAnswer(response) {
  const { status, headers } = response;
  const Kind = KINDS[status] ?? (status >= 500 ? Unavailable : status >= 400 ? InvalidRequest : ApiError);
  return new Kind(status, headers, await response.text());
}

/**
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function readEnvelope(text) {
  try {
    const read = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? read : {};
  } catch {
    return {};
  }
}

/**
 * @param {unknown} given
 * @returns {number | null}
 */
function readSeconds(given) {
  if (typeof given === "number") return given;
  return typeof given === "string" && /^\d+$/.test(given) ? Number(given) : null;
}
