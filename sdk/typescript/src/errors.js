// The errors that the SDK throws: all of them are a PartnerProductionError.

/** @import { Batch, Deliverable, ProductionWithSteps } from "../types/models.js" */

const LONGEST = 1000; // characters of a message: a batch of 1,000 briefs may be refused for 1,000 reasons
const EXCERPT = 200; // characters of an answer that is not the API's
/** @type {Record<string, string>} */
const HOLDS = {
  ScriptReview: "its script waits for approval",
  Translation: "its brief waits for a translation",
  AwaitingApproval: "it waits for its release",
};

/** What every error of this package is. */
export class PartnerProductionError extends Error {
  /**
   * The production that it is about, as it was when it was last read; none if none had been.
   *
   * @type {ProductionWithSteps | undefined}
   */
  production;

  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(capped(message), options);
    this.name = new.target.name;
    // Not shown with each error that is printed, most of which are about none.
    Object.defineProperty(this, "production", { enumerable: false, writable: true, configurable: true });
  }

  /**
   * Return what the error says, for logs and for other threads.
   *
   * @returns {Record<string, unknown>}
   */
  toJSON() {
    const own = Object.fromEntries(Object.entries(this));
    return { name: this.name, message: this.message, ...own, ...(this.production ? { production: this.production } : {}) };
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
   * @param {ErrorOptions} [options]
   */
  constructor(status, headers, text, options) {
    const envelope = readEnvelope(text);
    const code = textOf(envelope.error) ?? `HTTP_${status}`;
    const said = capped(textOf(envelope.message) ?? (excerpt(text) || "The answer is empty."));
    const fields = readFields(envelope.fields);
    super(sentence(status, code, said, fields), options);
    /** The HTTP status. */
    this.status = status;
    /** The error code of the API, such as `INVALID_REQUEST`; `HTTP_502` and so on if the answer was not the API's. */
    this.code = code;
    /** What was wrong, and what would be right; at most 1,000 characters, as `message`. */
    this.detail = said;
    /** On validation errors the messages by field. */
    this.fields = fields;
    /** The seconds to wait before the next try, where the API says it. */
    this.retryAfter = readSeconds(envelope.retryAfterSeconds, headers);
    /** What to quote to support. */
    this.correlationId = textOf(envelope.correlationId) ?? headers.get("x-correlation-id");
    /** Those of the answer, with their names in lower case. */
    this.headers = Object.fromEntries(headers.entries());
  }
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
  constructor(status, headers, reason, isDamaged = false, options = {}) {
    super(status, headers, JSON.stringify({ error: "INVALID_RESPONSE", message: reason }), options);
    /** Whether it was JSON, and was damaged on its way: then the request is sent again, if that cannot do anything twice. */
    this.isDamaged = isDamaged;
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
  /**
   * The production as it is now.
   *
   * @type {ProductionWithSteps}
   */
  production;

  /** @param {ProductionWithSteps} production */
  constructor(production) {
    const reason = production.errorCode ? ` (${production.errorCode}): ${production.errorMessage}` : "";
    super(`production ${production.productionId} is ${production.status}${reason}`);
    this.production = production;
  }
}

/** The production has failed: `production.errorCode` and `production.errorMessage` say why. */
export class ProductionFailed extends ProductionEnded {}

/** The production was cancelled. */
export class ProductionCancelled extends ProductionEnded {}

/** What was waited for has not come within the time given; it goes on. */
export class WaitTimedOut extends PartnerProductionError {
  /**
   * @param {string} message
   * @param {{ production?: ProductionWithSteps, batch?: Batch }} [about]
   */
  constructor(message, { production, batch } = {}) {
    super(message);
    this.production = production;
    /** The batch as it was last read; none if a production was waited for. */
    this.batch = batch;
  }
}

/** @typedef {"missing" | "mismatch" | "too_old" | "too_new" | "parsed_body" | "not_json"} SignatureProblem */

/** A webhook is not signed with the secret, or too old: answer 4xx and do not process it. */
export class InvalidSignature extends PartnerProductionError {
  /**
   * @param {string} message
   * @param {SignatureProblem} [reason]
   * @param {ErrorOptions} [options]
   */
  constructor(message, reason = "mismatch", options = {}) {
    super(message, options);
    /**
     * `missing`: a header of the signature is not there. `mismatch`: it was not made with this secret over these bytes.
     * `too_old`, `too_new`: the time of sending is not of these minutes. `parsed_body`: the body was given as an object, not as
     * its raw bytes. `not_json`: the body is signed, but no JSON object.
     */
    this.reason = reason;
  }
}

/** A downloaded file is not the one that the API describes; nothing was kept. */
export class HashMismatch extends PartnerProductionError {
  /**
   * @param {string} message
   * @param {Deliverable} [deliverable]
   */
  constructor(message, deliverable) {
    super(message);
    /** The file, as the API describes it. */
    this.deliverable = deliverable;
  }
}

/** @type {Record<number, typeof ApiError>} */
const KINDS = { 401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: RateLimited };

/**
 * Return the error that an answer other than 2xx stands for; of its body whatever is legible.
 *
 * @internal
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export async function ofAnswer(response) {
  const { status, headers } = response;
  const Kind = KINDS[status] ?? (status >= 500 ? Unavailable : status >= 400 ? InvalidRequest : ApiError);
  return new Kind(status, headers, await response.text().catch(() => ""));
}

/**
 * Return why a production waits for somebody: its `holdReason`, or `AwaitingApproval`; null: it does not.
 *
 * @internal
 * @param {ProductionWithSteps} production
 * @returns {string | null}
 */
export function holdOf(production) {
  return production.status === "AwaitingApproval" ? production.status : (production.holdReason ?? null);
}

/**
 * Return the error of a wait that is over: it says why the production waits, where it does.
 *
 * @internal
 * @param {ProductionWithSteps} production
 * @param {number} seconds
 */
export function waitedForProduction(production, seconds) {
  const hold = holdOf(production);
  const why = hold === null ? "" : ` (${hold}: ${HOLDS[hold] ?? "it is held"})`;
  const message = `production ${production.productionId} is ${production.status}${why} after ${seconds} seconds`;
  return new WaitTimedOut(message, { production });
}

/**
 * Return the error of a wait that is over: it says what the batch's productions do.
 *
 * @internal
 * @param {Batch} batch
 * @param {number} seconds
 */
export function waitedForBatch(batch, seconds) {
  const counts = Object.entries(batch.counts).filter(([, number]) => number);
  const told = counts.map(([state, number]) => `${number} ${state}`).join(", ");
  return new WaitTimedOut(`batch ${batch.batchId} is ${batch.status} (${told}) after ${seconds} seconds`, { batch });
}

/**
 * Return the beginning of an answer as one line of text.
 *
 * @internal
 * @param {string} text
 */
export function excerpt(text) {
  return text.slice(0, 4 * EXCERPT).replace(/[\p{C}\s]+/gu, " ").trim().slice(0, EXCERPT);
}

/**
 * @param {number} status
 * @param {string} code
 * @param {string} said
 * @param {Record<string, string[]>} fields
 */
function sentence(status, code, said, fields) {
  const named = Object.entries(fields).map(([name, each]) => `${name}: ${each.join(" ")}`);
  const also = named.filter((each) => !said.includes(each)); // each is said once
  return [`${status} ${code}: ${said}`, ...also].join(" ");
}

/** @param {string} text */
function capped(text) {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
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
 * @returns {string | null}
 */
function textOf(given) {
  return typeof given === "string" && given ? given : null;
}

/**
 * Return the messages by field, whatever a server has put there.
 *
 * @param {unknown} given
 * @returns {Record<string, string[]>}
 */
function readFields(given) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
  const entries = Object.entries(given).map(([name, each]) => [name, (Array.isArray(each) ? each : [each]).map(asText)]);
  return Object.fromEntries(entries);
}

/** @param {unknown} given */
function asText(given) {
  return typeof given === "string" ? given : JSON.stringify(given) ?? String(given);
}

/**
 * Return the seconds to wait: of the body, or of `Retry-After`, which may be a date (RFC 9110, section 10.2.3).
 *
 * @param {unknown} told
 * @param {Headers} headers
 * @returns {number | null}
 */
function readSeconds(told, headers) {
  if (typeof told === "number") return told >= 0 && told < 1e9 ? told : null;
  const header = (headers.get("retry-after") ?? "").trim();
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = moment(header);
  if (at === null) return null;
  const now = moment(headers.get("date") ?? "") ?? Date.now(); // the server's own, so that the clocks need not agree
  return Math.max(0, (at - now) / 1000);
}

/**
 * @param {string} date
 * @returns {number | null}
 */
function moment(date) {
  const read = /[A-Za-z]{3}/.test(date) ? Date.parse(date) : NaN; // a bare number is no date
  return Number.isNaN(read) ? null : read;
}
