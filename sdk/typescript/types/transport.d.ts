/**
 * Return a path with its identifiers as one segment each. TypeError: one is empty, dots, or no text.
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
/**
 * Return the headers that a caller adds. TypeError, which shows no value: one cannot be sent.
 *
 * @internal
 * @param {Record<string, string>} [headers]
 */
export function checkedHeaders(headers?: Record<string, string>): Record<string, string>;
/** @import { ApiResponse } from "./responses.js" */
/** @import { Retries } from "./retries.js" */
export const VERSION: "1.1.0";
/**
 * Options that every call takes.
 *
 * @typedef {object} RequestOptions
 * @property {number | undefined} [timeoutSeconds] After which this request counts as lost; by default the client's.
 * @property {Record<string, string> | undefined} [headers] Headers to send besides; none of the client's own can be replaced.
 * @property {AbortSignal | undefined} [signal] Ends the call with the signal's reason.
 * @property {((response: ApiResponse) => unknown) | undefined} [onResponse] Called with the status, headers and correlation id
 *   of each answer that is no error.
 */
/**
 * Options of a call by POST.
 *
 * @typedef {RequestOptions & { idempotencyKey?: string | undefined }} PostOptions
 */
/**
 * What the client tells of its work; `console` is one. Neither keys nor bodies are told.
 *
 * @typedef {{ debug: (message: string) => void, info: (message: string) => void }} Logger
 */
/**
 * One request to the API, before it is sent.
 *
 * @internal
 * @typedef {object} CallOnly
 * @property {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @property {string} path
 * @property {Record<string, string | number | boolean | readonly string[] | null | undefined>} [query]
 * @property {unknown} [body]
 * @property {string} [shape] What the SDK reads of the answer: see responses.js; `any` for what may be empty.
 * @property {number} [waits] How long the service may hold it, in seconds, beyond the usual time.
 * @property {boolean} [isDoneIfGone] Whether 404 at a further try means that an earlier one has done it.
 */
/** @internal @typedef {CallOnly & PostOptions} Call */
/**
 * The connection to one API with one key.
 *
 * @internal
 */
export class Transport {
    /**
     * @param {string} baseUrl
     * @param {string} apiKey
     * @param {{ retries: Required<Retries>, timeoutSeconds: number, send: typeof fetch, apiVersion: string | null,
     *   logger: Logger | undefined }} settings
     */
    constructor(baseUrl: string, apiKey: string, { retries, timeoutSeconds, send, apiVersion, logger }: {
        retries: Required<Retries>;
        timeoutSeconds: number;
        send: typeof fetch;
        apiVersion: string | null;
        logger: Logger | undefined;
    });
    /** @type {Required<Retries>} */
    retries: Required<Retries>;
    /** @type {Logger | undefined} */
    logger: Logger | undefined;
    /**
     * Return the body of the answer. ApiError, ConnectionFailed.
     *
     * @param {Call} call
     * @returns {Promise<any>}
     */
    send(call: Call): Promise<any>;
    /**
     * Return the answer. ApiError, ConnectionFailed.
     *
     * @param {Call} call
     * @returns {Promise<ApiResponse>}
     */
    respond(call: Call): Promise<ApiResponse>;
    /**
     * Do something until it succeeds, as often as the rules allow. ApiError, ConnectionFailed.
     *
     * @template T
     * @param {Call} call
     * @param {string} name What it is, for messages.
     * @param {(tries: number) => Promise<T>} attempt
     * @param {{ hasMoved?: () => boolean, isFinal?: (error: unknown) => boolean }} [rules] Whether the last attempt has got
     *   further than all before: then its tries count anew; and whether an error is to be thrown as it is.
     * @returns {Promise<T>}
     */
    again<T>(call: Call, name: string, attempt: (tries: number) => Promise<T>, { hasMoved, isFinal }?: {
        hasMoved?: () => boolean;
        isFinal?: (error: unknown) => boolean;
    }): Promise<T>;
    /**
     * Yield the entries of a list, page after page.
     *
     * @param {string} path
     * @param {Call["query"]} [query]
     * @param {RequestOptions} [options]
     * @param {string} [shape] What the SDK reads of an entry.
     * @returns {AsyncGenerator<any, void, undefined>}
     */
    entries(path: string, query?: Call["query"], options?: RequestOptions, shape?: string): AsyncGenerator<any, void, undefined>;
    /**
     * Ask for a download address, which needs no key. ApiError.
     *
     * @param {string} url
     * @param {Record<string, string>} headers
     * @param {AbortSignal} signal
     * @returns {Promise<Response>}
     */
    open(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
    /**
     * Return the seconds after which a request counts as lost.
     *
     * @param {RequestOptions} options
     */
    timeoutOf({ timeoutSeconds }: RequestOptions): number;
    #private;
}
/**
 * Options that every call takes.
 */
export type RequestOptions = {
    /**
     * After which this request counts as lost; by default the client's.
     */
    timeoutSeconds?: number | undefined;
    /**
     * Headers to send besides; none of the client's own can be replaced.
     */
    headers?: Record<string, string> | undefined;
    /**
     * Ends the call with the signal's reason.
     */
    signal?: AbortSignal | undefined;
    /**
     * Called with the status, headers and correlation id
     * of each answer that is no error.
     */
    onResponse?: ((response: ApiResponse) => unknown) | undefined;
};
/**
 * Options of a call by POST.
 */
export type PostOptions = RequestOptions & {
    idempotencyKey?: string | undefined;
};
/**
 * What the client tells of its work; `console` is one. Neither keys nor bodies are told.
 */
export type Logger = {
    debug: (message: string) => void;
    info: (message: string) => void;
};
/**
 * One request to the API, before it is sent.
 */
export type CallOnly = {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    path: string;
    query?: Record<string, string | number | boolean | readonly string[] | null | undefined>;
    body?: unknown;
    /**
     * What the SDK reads of the answer: see responses.js; `any` for what may be empty.
     */
    shape?: string;
    /**
     * How long the service may hold it, in seconds, beyond the usual time.
     */
    waits?: number;
    /**
     * Whether 404 at a further try means that an earlier one has done it.
     */
    isDoneIfGone?: boolean;
};
export type Call = CallOnly & PostOptions;
import type { Retries } from "./retries.js";
import type { ApiResponse } from "./responses.js";
