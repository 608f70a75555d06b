// When a request is sent again, and after how long.

import { InvalidResponse } from "./errors.js";

/** @import { ApiError } from "./errors.js" */

/**
 * The rules by which requests are sent again. None does anything twice thereby: those by POST carry an `Idempotency-Key`, the
 * same at each try.
 *
 * @typedef {object} Retries
 * @property {number[]} [afterNoAnswer] The pauses before each further try when no answer came, in seconds.
 * @property {number[]} [afterServerError] The same for 5xx.
 * @property {number} [whenToldToWait] How often a request is sent again after an answer that says how long to wait.
 * @property {number} [longestWait] The longest wait that is waited for, in seconds; a day's limit throws RateLimited.
 */

/**
 * @internal
 * @type {Required<Retries>}
 */
export const USUAL = { afterNoAnswer: [1, 2, 5, 10], afterServerError: [5, 30], whenToldToWait: 10, longestWait: 120 };

// What passes by itself: the first request with the same key, or another cancel, is still being answered. In seconds.
/** @type {Record<string, number>} */
const PASSING = { REQUEST_IN_PROGRESS: 1, CANCEL_IN_PROGRESS: 5 };
// What fetch says of addresses that it never asks; another try would not mend that.
const HOPELESS = /bad port|unknown scheme|redirect count exceeded/;

/**
 * Return the pause after a request without an answer; null: do not send it again.
 *
 * @internal
 * @param {Required<Retries>} rules
 * @param {unknown} error
 * @param {number} tries Made so far.
 * @returns {number | null}
 */
export function afterError(rules, error, tries) {
  if (HOPELESS.test(/** @type {{ cause?: Error }} */ (error)?.cause?.message ?? "")) return null;
  return rules.afterNoAnswer[tries - 1] ?? null;
}

/**
 * Return the pause after an answer other than 2xx; null: do not send the request again.
 *
 * @internal
 * @param {Required<Retries>} rules
 * @param {ApiError} failure
 * @param {number} tries Made so far.
 * @returns {number | null}
 */
export function afterAnswer(rules, failure, tries) {
  if (failure instanceof InvalidResponse) {
    return failure.isDamaged ? (rules.afterNoAnswer[tries - 1] ?? null) : null;
  }
  const passing = PASSING[failure.code];
  if (passing !== undefined) return tries <= rules.whenToldToWait ? passing : null;
  if ([429, 503].includes(failure.status) && failure.retryAfter !== null) {
    return tries <= rules.whenToldToWait && failure.retryAfter <= rules.longestWait ? failure.retryAfter : null;
  }
  if (failure.status >= 500) return rules.afterServerError[tries - 1] ?? null;
  return null;
}
