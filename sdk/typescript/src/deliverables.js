// Deliverables: their list, and downloads that are checked. Files on a disk: see node.js.

import { ApiError, HashMismatch, InvalidResponse } from "./errors.js";
import { checkedHeaders, path } from "./transport.js";

/** @import { Deliverable, DeliverableList } from "../types/models.js" */
/** @import { RequestOptions, Transport } from "./transport.js" */

/**
 * What a download is written to.
 *
 * @internal
 * @typedef {object} Sink
 * @property {(piece: Uint8Array) => unknown} write
 * @property {() => unknown} restart Forget what has been written.
 */

/** The files of productions. */
export class Deliverables {
  /** @internal */
  transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /**
   * Return every file of a production, with addresses that are valid for an hour; none before they exist.
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<Deliverable[]>}
   */
  async list(productionId, options = {}) {
    return (await this.page(productionId, options)).data;
  }

  /**
   * Return the files of a production and the texts beside them (`descriptions`).
   *
   * @param {string} productionId
   * @param {RequestOptions} [options]
   * @returns {Promise<DeliverableList>}
   */
  async page(productionId, options = {}) {
    const to = path`/v1/productions/${productionId}/deliverables`;
    return this.transport.send({ ...options, method: "GET", path: to, shape: "DeliverableList" });
  }

  /**
   * Return the content of a file, in memory, when its size and SHA-256 are those that the API says.
   *
   * A download that breaks off goes on from where it was. `timeoutSeconds`: without a byte, after which an answer counts as lost.
   *
   * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
   *
   * @param {Deliverable} deliverable
   * @param {RequestOptions} [options]
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async content(deliverable, options = {}) {
    /** @type {Uint8Array[]} */
    let pieces = [];
    const sink = {
      /** @param {Uint8Array} piece */
      write: (piece) => pieces.push(piece),
      restart: () => (pieces = []),
    };
    await receive(this.transport, deliverable, sink, options, `download of ${deliverable.deliverableId}`);
    const content = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
    pieces.reduce((at, piece) => (content.set(piece, at), at + piece.length), 0);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    check(deliverable, content.length, Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    return content;
  }
}

/**
 * Write a file to a sink; what is missing after a break is asked for by `Range`. ApiError, ConnectionFailed, HashMismatch.
 *
 * @internal
 * @param {Transport} transport
 * @param {Deliverable} deliverable
 * @param {Sink} sink
 * @param {RequestOptions} options
 * @param {string} name What it is, for messages.
 */
export async function receive(transport, deliverable, sink, options, name) {
  const given = checkedHeaders(options.headers);
  let [size, furthest, tag, isPlain] = [0, 0, "", true];
  const restart = async () => {
    size = 0;
    await sink.restart();
  };
  /** @type {unknown} */
  let ofSink;
  /** @returns {Promise<void>} */
  const attempt = async () => {
    if (size >= deliverable.sizeBytes && size > 0) return; // only the end of the answer was lost
    const asksRest = size > 0 && isPlain;
    const headers = { ...given, "Accept-Encoding": "identity", ...(asksRest ? rangeOf(size, tag) : {}) };
    const limit = new IdleLimit(transport.timeoutOf(options), options.signal);
    try {
      const response = await opened(transport, deliverable.sasUrl, headers, limit.signal, asksRest);
      if (response === null) {
        await restart();
        return attempt();
      }
      if (!goesOn(response, size)) {
        await restart();
        [tag, isPlain] = [strongTag(response), [null, "identity"].includes(response.headers.get("content-encoding"))];
      }
      for await (const piece of piecesOf(response, limit)) {
        try {
          await sink.write(piece);
        } catch (error) {
          ofSink = error;
          throw error;
        }
        size += piece.length;
        if (size > deliverable.sizeBytes) throw new HashMismatch(`More than ${deliverable.sizeBytes} bytes arrived.`, deliverable);
      }
      const { status, headers: told } = response;
      options.onResponse?.({ status, headers: told, correlationId: told.get("x-correlation-id"), body: null });
    } finally {
      limit.end();
    }
  };
  const hasMoved = () => {
    const moved = size > furthest;
    furthest = Math.max(size, furthest);
    return moved;
  };
  const isFinal = (/** @type {unknown} */ error) => error === ofSink; // another try does not mend a disk
  await transport.again({ ...options, method: "GET", path: "" }, name, attempt, { hasMoved, isFinal });
}

/**
 * Return the answer of a download address; null: the range that was asked for does not exist.
 *
 * @param {Transport} transport
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {AbortSignal} signal
 * @param {boolean} asksRest
 */
async function opened(transport, url, headers, signal, asksRest) {
  try {
    return await transport.open(url, headers, signal);
  } catch (error) {
    if (asksRest && error instanceof ApiError && error.status === 416) return null;
    throw error;
  }
}

/**
 * Return the headers that ask for what is missing (RFC 9110, sections 13.1.5 and 14.2).
 *
 * @param {number} size
 * @param {string} tag
 * @returns {Record<string, string>}
 */
function rangeOf(size, tag) {
  return { Range: `bytes=${size}-`, ...(tag ? { "If-Range": tag } : {}) };
}

/**
 * Return whether an answer begins where the file ends; otherwise it is the whole file. InvalidResponse: neither.
 *
 * @param {Response} response
 * @param {number} size
 */
function goesOn({ status, headers }, size) {
  if (status !== 206) return false;
  if (headers.get("content-range")?.startsWith(`bytes ${size}-`)) return true;
  throw new InvalidResponse(status, headers, "The answer has other bytes than were asked for.", true);
}

/** @param {Response} response */
function strongTag({ headers }) {
  const tag = headers.get("etag") ?? "";
  return tag.startsWith("W/") ? "" : tag;
}

/**
 * Yield what arrives of an answer, as long as something does.
 *
 * @param {Response} response
 * @param {IdleLimit} limit
 */
async function* piecesOf(response, limit) {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      limit.touch();
      const { done, value } = await Promise.race([reader.read(), limit.over]);
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // nobody reads the rest
  }
}

/** A time limit that begins anew whenever something has arrived, together with the caller's signal. */
class IdleLimit {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #seconds;

  /**
   * @param {number} seconds
   * @param {AbortSignal | undefined} signal
   */
  constructor(seconds, signal) {
    this.#seconds = seconds;
    this.signal = signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
    /** @type {Promise<never>} */
    this.over = new Promise((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
    });
    this.over.catch(() => {}); // it may end while nobody waits
    this.touch();
  }

  touch() {
    clearTimeout(this.#timer);
    const late = () => this.#controller.abort(new DOMException(`no byte came for ${this.#seconds} seconds`, "TimeoutError"));
    this.#timer = setTimeout(late, 1000 * this.#seconds);
  }

  end() {
    clearTimeout(this.#timer);
  }
}

/**
 * HashMismatch: what arrived is not what `deliverable` describes.
 *
 * @internal
 * @param {Deliverable} deliverable
 * @param {number} size
 * @param {string} sha256
 */
export function check(deliverable, size, sha256) {
  if (size === deliverable.sizeBytes && sha256 === deliverable.sha256) return;
  throw new HashMismatch(
    `${size} bytes with the SHA-256 ${sha256} arrived; ` +
      `deliverable ${deliverable.deliverableId} has ${deliverable.sizeBytes} with ${deliverable.sha256}.`,
    deliverable,
  );
}
