/**
 * Return a path with its identifiers as one segment each. TypeError: one is empty, or dots.
 *
 * @internal
 * @param {TemplateStringsArray} parts
 * @param {string[]} identifiers
 */
export function path(parts: TemplateStringsArray, ...identifiers: string[]): string;
/**
 * Wait; an aborted signal ends it with its reason.
 *
 * @internal
 * @param {number} seconds
 * @param {AbortSignal | undefined} [signal]
 * @returns {Promise<void>}
 */
export function sleep(seconds: number, signal?: AbortSignal | undefined): Promise<void>;
/** @import { Retries } from "./retries.js" */
export const VERSION: "1.1.0";
/**
 * One request to the API, before it is sent.
 *
 * @internal
 * @typedef {object} Call
 * @property {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @property {string} path
 * @property {Record<string, string | number | readonly string[] | undefined>} [query]
 * @property {unknown} [body]
 * @property {string | undefined} [idempotencyKey]
 * @property {number} [waits] How long the service may hold it, in seconds, beyond the usual time.
 * @property {boolean} [isReading] Whether a POST changes nothing, or nothing more when it is sent again.
 * @property {boolean} [isDoneIfGone] Whether 404 at a further try means that an earlier one has done it.
 * @property {AbortSignal | undefined} [signal]
 */
/**
 * The connection to one API with one key.
 *
 * @internal
 */
export class Transport {
    /**
     * @param {string} baseUrl
     * @param {string} apiKey
     * @param {Required<Retries>} retries
     * @param {number} timeoutSeconds
     * @param {typeof fetch} send
     */
    constructor(baseUrl: string, apiKey: string, retries: Required<Retries>, timeoutSeconds: number, send: typeof fetch);
    /** @type {Required<Retries>} */
    retries: Required<Retries>;
    /**
     * Return the body of the answer. ApiError, ConnectionFailed.
     *
     * @param {Call} call
     * @returns {Promise<any>}
     */
    send(call: Call): Promise<any>;
    /**
     * Do something until it succeeds, as often as the rules allow. ApiError, ConnectionFailed.
     *
     * @template T
     * @param {Call} call
     * @param {string} name What it is, for messages.
     * @param {(tries: number) => Promise<T>} attempt
     * @returns {Promise<T>}
     */
    again<T>(call: Call, name: string, attempt: (tries: number) => Promise<T>): Promise<T>;
    /**
     * Yield the entries of a list, page after page.
     *
     * @param {string} path
     * @param {Call["query"]} [query]
     * @returns {AsyncGenerator<any, void, undefined>}
     */
    entries(path: string, query?: Call["query"]): AsyncGenerator<any, void, undefined>;
    /**
     * Ask for a download address, which needs no key. ApiError.
     *
     * @param {string} url
     * @returns {Promise<Response>}
     */
    open(url: string): Promise<Response>;
    #private;
}
/**
 * One request to the API, before it is sent.
 */
export type Call = {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    path: string;
    query?: Record<string, string | number | readonly string[] | undefined>;
    body?: unknown;
    idempotencyKey?: string | undefined;
    /**
     * How long the service may hold it, in seconds, beyond the usual time.
     */
    waits?: number;
    /**
     * Whether a POST changes nothing, or nothing more when it is sent again.
     */
    isReading?: boolean;
    /**
     * Whether 404 at a further try means that an earlier one has done it.
     */
    isDoneIfGone?: boolean;
    signal?: AbortSignal | undefined;
};
import type { Retries } from "./retries.js";
