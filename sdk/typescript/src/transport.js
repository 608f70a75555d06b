// Sends calls, again where that helps, and reads their answers.

import { ConnectionFailed, ofAnswer } from "./errors.js";
import { afterAnswer, afterError } from "./retries.js";
import { API_VERSION } from "./version.js";

/** @import { Retries } from "./retries.js" */

export const VERSION = "1.1.0";
const PAGE = 100; // entries

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
  #base;
  #key;
  #fetch;
  #timeout;
  /** @type {Required<Retries>} */
  retries;

  /**
   * @param {string} baseUrl
   * @param {string} apiKey
   * @param {Required<Retries>} retries
   * @param {number} timeoutSeconds
   * @param {typeof fetch} send
   */
  constructor(baseUrl, apiKey, retries, timeoutSeconds, send) {
    this.#base = baseUrl.replace(/\/+$/, "");
    this.#key = apiKey;
    this.#fetch = send;
    this.#timeout = timeoutSeconds;
    this.retries = retries;
  }

  /**
   * Return the body of the answer. ApiError, ConnectionFailed.
   *
   * @param {Call} call
   * @returns {Promise<any>}
   */
  async send(call) {
    return this.again(call, `${call.method} ${call.path}`, async (tries) => {
      const response = await this.#fetch(this.#base + call.path + search(call.query), this.#options(call));
      if (response.ok) return readBody(response);
      const failure = await ofAnswer(response);
      if (tries > 1 && call.isDoneIfGone && failure.status === 404) return null; // an earlier try did it
      throw failure;
    });
  }

  /**
   * Do something until it succeeds, as often as the rules allow. ApiError, ConnectionFailed.
   *
   * @template T
   * @param {Call} call
   * @param {string} name What it is, for messages.
   * @param {(tries: number) => Promise<T>} attempt
   * @returns {Promise<T>}
   */
  async again(call, name, attempt) {
    for (let tries = 1; ; tries++) {
      let pause;
      try {
        return await attempt(tries);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (isApiError(error)) {
          pause = afterAnswer(this.retries, error, call, tries);
          if (pause === null) throw error;
        } else if (isLost(error)) {
          pause = afterError(this.retries, error, call, tries);
          if (pause === null) throw new ConnectionFailed(`${name}: ${reasonOf(error)}`, { cause: error });
        } else throw error;
      }
      await sleep(pause, call.signal);
    }
  }

  /**
   * Yield the entries of a list, page after page.
   *
   * @param {string} path
   * @param {Call["query"]} [query]
   * @returns {AsyncGenerator<any, void, undefined>}
   */
  async *entries(path, query) {
    let cursor;
    for (;;) {
      const page = await this.send({ method: "GET", path, query: { limit: PAGE, ...query, cursor } });
      yield* page.data;
      if (!page.hasMore) return;
      cursor = page.nextCursor;
    }
  }

  /**
   * Ask for a download address, which needs no key. ApiError.
   *
   * @param {string} url
   * @returns {Promise<Response>}
   */
  async open(url) {
    const response = await this.#fetch(url, { redirect: "follow" });
    if (!response.ok) throw await ofAnswer(response);
    return response;
  }

  /**
   * @param {Call} call
   * @returns {RequestInit}
   */
  #options(call) {
    /** @type {Record<string, string>} */
    const headers = {
      "X-API-Key": this.#key,
      "X-API-Version": API_VERSION,
      Accept: "application/json",
      "User-Agent": `partner-production-js/${VERSION}`,
    };
    if (call.idempotencyKey !== undefined) headers["Idempotency-Key"] = call.idempotencyKey;
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    const timeout = AbortSignal.timeout(1000 * (this.#timeout + (call.waits ?? 0)));
    return {
      method: call.method,
      headers,
      body: call.body === undefined ? null : JSON.stringify(call.body),
      redirect: "manual", // the key goes to this address and no other
      signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
    };
  }
}

/**
 * Return a path with its identifiers as one segment each. TypeError: one is empty, or dots.
 *
 * @internal
 * @param {TemplateStringsArray} parts
 * @param {string[]} identifiers
 */
export function path(parts, ...identifiers) {
  for (const each of identifiers) {
    if (typeof each !== "string" || ["", ".", ".."].includes(each)) {
      throw new TypeError(`${JSON.stringify(each)} is no identifier (for ${parts.join("…")})`);
    }
  }
  return String.raw({ raw: parts }, ...identifiers.map(encodeURIComponent));
}

/**
 * Wait; an aborted signal ends it with its reason.
 *
 * @internal
 * @param {number} seconds
 * @param {AbortSignal | undefined} [signal]
 * @returns {Promise<void>}
 */
export function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** @param {Call["query"]} query */
function search(query = {}) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) given.append(name, String(each));
    }
  }
  return given.size ? `?${given}` : "";
}

/** @param {Response} response */
async function readBody(response) {
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/**
 * @param {unknown} error
 * @returns {error is import("./errors.js").ApiError}
 */
function isApiError(error) {
  return error instanceof Error && "retryAfter" in error;
}

/**
 * Return whether a request or its answer was lost on the way, as fetch says it.
 *
 * @param {unknown} error
 */
function isLost(error) {
  if (!(error instanceof Error || error instanceof DOMException)) return false;
  return error.name === "TimeoutError" || (error instanceof TypeError && !/URL/.test(error.message));
}

/** @param {unknown} error */
function reasonOf(error) {
  const { message, cause } = /** @type {Error} */ (error);
  return cause instanceof Error && cause.message ? cause.message : message;
}
