// Sends calls, again where that helps, and reads their answers.

import { ApiError, ConnectionFailed, excerpt, InvalidResponse, ofAnswer, PartnerProductionError } from "./errors.js";
import { read, requirePage } from "./responses.js";
import { afterAnswer, afterError } from "./retries.js";

/** @import { ApiResponse } from "./responses.js" */
/** @import { Retries } from "./retries.js" */

export const VERSION = "1.1.0";
const PAGE = 100; // entries
const OWN = [
  "x-api-key", "x-api-version", "idempotency-key", "content-type", "content-length", "host", "transfer-encoding",
];

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
  #base;
  #key;
  #version;
  #fetch;
  #timeout;
  /** @type {Required<Retries>} */
  retries;
  /** @type {Logger | undefined} */
  logger;

  /**
   * @param {string} baseUrl
   * @param {string} apiKey
   * @param {{ retries: Required<Retries>, timeoutSeconds: number, send: typeof fetch, apiVersion: string | null,
   *   logger: Logger | undefined }} settings
   */
  constructor(baseUrl, apiKey, { retries, timeoutSeconds, send, apiVersion, logger }) {
    this.#base = checkedAddress(baseUrl);
    this.#key = checkedKey(apiKey);
    this.#version = apiVersion;
    this.#fetch = send;
    this.#timeout = timeoutSeconds;
    this.retries = retries;
    this.logger = logger;
  }

  /**
   * Return the body of the answer. ApiError, ConnectionFailed.
   *
   * @param {Call} call
   * @returns {Promise<any>}
   */
  async send(call) {
    return (await this.respond(call)).body;
  }

  /**
   * Return the answer. ApiError, ConnectionFailed.
   *
   * @param {Call} call
   * @returns {Promise<ApiResponse>}
   */
  async respond(call) {
    const [name, url] = [`${call.method} ${call.path}`, this.#base + call.path + search(call.query)];
    const [headers, body] = [this.#headers(call), call.body === undefined ? null : JSON.stringify(call.body)];
    const answer = await this.again(call, name, async (tries) => {
      const timeout = AbortSignal.timeout(1000 * (this.timeoutOf(call) + (call.waits ?? 0)));
      const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
      // A redirect is not followed: the key goes to this address and no other.
      const response = await this.#fetch(url, { method: call.method, headers, body, redirect: "manual", signal });
      this.logger?.debug(`${name}: ${response.status}, correlation id ${response.headers.get("x-correlation-id")}`);
      if (response.ok) return read(response, await textOf(response), call.shape ?? "object");
      const failure = await ofAnswer(response);
      if (tries > 1 && call.isDoneIfGone && failure.status === 404) { // an earlier try did it, whose answer was lost
        return { status: 404, headers: response.headers, correlationId: failure.correlationId, body: null };
      }
      throw failure;
    });
    call.onResponse?.(answer);
    return answer;
  }

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
  async again(call, name, attempt, { hasMoved = () => false, isFinal = () => false } = {}) {
    for (let tries = 1; ; tries++) {
      let pause;
      let why;
      try {
        call.signal?.throwIfAborted();
        return await attempt(tries);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (hasMoved()) tries = 1;
        if (error instanceof ApiError) {
          pause = afterAnswer(this.retries, error, tries);
          if (pause === null) throw error;
          why = `${error.status} ${error.code}`;
        } else if (error instanceof PartnerProductionError || isFinal(error)) {
          throw error;
        } else {
          pause = afterError(this.retries, error, tries);
          why = reasonOf(error);
          if (pause === null) throw new ConnectionFailed(`${name}: ${why}`, { cause: error });
        }
      }
      this.logger?.info(`${name} is sent again in ${pause} s: ${why}`);
      await sleep(pause, call.signal);
    }
  }

  /**
   * Yield the entries of a list, page after page.
   *
   * @param {string} path
   * @param {Call["query"]} [query]
   * @param {RequestOptions} [options]
   * @param {string} [shape] What the SDK reads of an entry.
   * @returns {AsyncGenerator<any, void, undefined>}
   */
  async *entries(path, query, options, shape = "object") {
    let cursor;
    for (;;) {
      const answer = await this.respond({ ...options, method: "GET", path, query: { limit: PAGE, ...query, cursor } });
      requirePage(answer, shape);
      yield* answer.body.data;
      if (!answer.body.hasMore) return;
      cursor = answer.body.nextCursor;
    }
  }

  /**
   * Ask for a download address, which needs no key. ApiError.
   *
   * @param {string} url
   * @param {Record<string, string>} headers
   * @param {AbortSignal} signal
   * @returns {Promise<Response>}
   */
  async open(url, headers, signal) {
    const response = await this.#fetch(url, { headers, redirect: "follow", signal });
    if (!response.ok) throw await ofAnswer(response);
    return response;
  }

  /**
   * Return the seconds after which a request counts as lost.
   *
   * @param {RequestOptions} options
   */
  timeoutOf({ timeoutSeconds }) {
    return timeoutSeconds ?? this.#timeout;
  }

  /**
   * @param {Call} call
   * @returns {Record<string, string>}
   */
  #headers(call) {
    const headers = { Accept: "application/json", "User-Agent": `partner-production-js/${VERSION}`, ...checkedHeaders(call.headers) };
    /** @type {Record<string, string>} */
    const own = { "X-API-Key": this.#key };
    if (this.#version !== null) own["X-API-Version"] = this.#version;
    const idempotencyKey = call.idempotencyKey ?? (call.method === "POST" ? crypto.randomUUID() : undefined);
    if (idempotencyKey !== undefined) own["Idempotency-Key"] = checkedIdempotencyKey(idempotencyKey);
    if (call.body !== undefined) own["Content-Type"] = "application/json";
    return { ...headers, ...own };
  }
}

/**
 * Return a path with its identifiers as one segment each. TypeError: one is empty, dots, or no text.
 *
 * @internal
 * @param {TemplateStringsArray} parts
 * @param {string[]} identifiers
 */
export function path(parts, ...identifiers) {
  for (const each of identifiers) {
    if (typeof each !== "string" || ["", ".", ".."].includes(each) || /\p{Cs}/u.test(each)) {
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

/**
 * Return the headers that a caller adds. TypeError, which shows no value: one cannot be sent.
 *
 * @internal
 * @param {Record<string, string>} [headers]
 */
export function checkedHeaders(headers = {}) {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || OWN.includes(name.toLowerCase())) {
      throw new TypeError(`the header ${JSON.stringify(name)} cannot be given: it is no name of a header, or the client's own`);
    }
    if (typeof value !== "string" || !/^[\t -~]*$/.test(value)) {
      throw new TypeError(`the value of the header ${name} is no line of printable ASCII`);
    }
  }
  return headers;
}

/** @param {string} key */
function checkedIdempotencyKey(key) {
  if (typeof key !== "string" || !/^[!-~]+$/.test(key)) {
    throw new TypeError("an idempotency key has only letters of ASCII, digits, and the signs _ : . -");
  }
  return key;
}

/**
 * Return the address of the service. TypeError: it is none.
 *
 * @param {string} baseUrl
 */
function checkedAddress(baseUrl) {
  const text = typeof baseUrl === "string" ? baseUrl.trim() : "";
  if (!text) throw new TypeError("the address of the service is empty");
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TypeError("the address of the service must be like https://media.example.com, without ?, # and password");
  }
  return text.replace(/\/+$/, "");
}

/**
 * Return the key without what surrounds it. TypeError, which never shows it: it is none.
 *
 * @param {string} apiKey
 */
function checkedKey(apiKey) {
  const text = typeof apiKey === "string" ? apiKey.trim() : "";
  if (!text) throw new TypeError("the API key is empty");
  const at = text.search(/[^!-~]/);
  if (at >= 0) {
    throw new TypeError(
      `character ${at + 1} of the API key's ${text.length} is a space, a line break or no ASCII; copy it again`,
    );
  }
  return text;
}

/** @param {Call["query"]} query */
function search(query = {}) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) given.append(name, String(each));
    }
  }
  return given.size ? `?${given}` : "";
}

/**
 * Return the text of an answer. InvalidResponse: it is not compressed as it says, or no UTF-8; what fetch throws.
 *
 * @param {Response} response
 */
async function textOf(response) {
  const { status, headers } = response;
  let bytes;
  try {
    bytes = await response.arrayBuffer();
  } catch (cause) {
    const { code = "" } = /** @type {{ cause?: { code?: string } }} */ (cause)?.cause ?? {};
    if (!/^Z_|^ERR__/.test(code)) throw cause; // Node's codes of zlib and of Brotli
    const reason = `The answer is not compressed as it says: ${headers.get("content-encoding")}.`;
    throw new InvalidResponse(status, headers, reason, true, { cause });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidResponse(status, headers, "The answer is no UTF-8.", true, { cause });
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  const { message, cause } = /** @type {Error} */ (error);
  return excerpt(String(cause instanceof Error && cause.message ? cause.message : message)) || "no answer";
}
