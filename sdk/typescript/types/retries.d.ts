/**
 * Return the pause after a request without an answer; null: do not send it again.
 *
 * @internal
 * @param {Required<Retries>} rules
 * @param {unknown} error
 * @param {number} tries Made so far.
 * @returns {number | null}
 */
export function afterError(rules: Required<Retries>, error: unknown, tries: number): number | null;
/**
 * Return the pause after an answer other than 2xx; null: do not send the request again.
 *
 * @internal
 * @param {Required<Retries>} rules
 * @param {ApiError} failure
 * @param {number} tries Made so far.
 * @returns {number | null}
 */
export function afterAnswer(rules: Required<Retries>, failure: ApiError, tries: number): number | null;
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
export const USUAL: Required<Retries>;
/**
 * The rules by which requests are sent again. None does anything twice thereby: those by POST carry an `Idempotency-Key`, the
 * same at each try.
 */
export type Retries = {
    /**
     * The pauses before each further try when no answer came, in seconds.
     */
    afterNoAnswer?: number[];
    /**
     * The same for 5xx.
     */
    afterServerError?: number[];
    /**
     * How often a request is sent again after an answer that says how long to wait.
     */
    whenToldToWait?: number;
    /**
     * The longest wait that is waited for, in seconds; a day's limit throws RateLimited.
     */
    longestWait?: number;
};
import type { ApiError } from "./errors.js";
