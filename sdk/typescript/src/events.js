// The feed of all events that the key may see.

import { sleep } from "./transport.js";

/** @import { Event, EventFeed } from "../types/models.js" */
/** @import { RequestOptions, Transport } from "./transport.js" */

const LONGEST_WAIT = 30; // seconds that the service holds a request

/** The events of every production that the key may see, in one order. */
export class Events {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Return the events after `cursor`; keep its `nextCursor`, from which the next call goes on.
   *
   * `cursor`: `nextCursor` of an earlier page, or `latest`; by default the oldest event. `since`: without a cursor, events from
   * this moment on, in ISO 8601. `waitSeconds`: how long to wait for an event if there is none, at most 30.
   *
   * @param {{ cursor?: string | undefined, since?: string | undefined, waitSeconds?: number, limit?: number } & RequestOptions} [options]
   * @returns {Promise<EventFeed>}
   */
  async page({ cursor, since, waitSeconds = 0, limit = 100, ...options } = {}) {
    const query = { cursor, from: since, waitSeconds, limit };
    return this.#transport.send({ ...options, method: "GET", path: "/v1/events", query, waits: waitSeconds, shape: "EventFeed" });
  }

  /**
   * Return the cursor after the newest event.
   *
   * @param {RequestOptions} [options]
   * @returns {Promise<string>}
   */
  async latest(options = {}) {
    return (await this.page({ ...options, cursor: "latest", limit: 1 })).nextCursor;
  }

  /**
   * Yield events as they happen, without end. A program that must miss none keeps the cursors of `page` instead.
   *
   * @param {{ cursor?: string | undefined, since?: string | undefined } & RequestOptions} [options]
   * @returns {AsyncGenerator<Event, void, undefined>}
   */
  async *follow({ cursor, since, ...options } = {}) {
    let from = cursor;
    for (;;) {
      const feed = await this.page({ ...options, cursor: from, since: from ? undefined : since, waitSeconds: LONGEST_WAIT });
      yield* feed.data;
      from = feed.nextCursor;
      await rest(feed, Infinity, options.signal);
    }
  }
}

/**
 * Wait for events, and return those that came; none may have come.
 *
 * @internal
 * @param {Events} events
 * @param {string} cursor
 * @param {number} until When to stop waiting, of `Date.now()`.
 * @param {AbortSignal | undefined} signal
 */
export async function held(events, cursor, until, signal) {
  const left = Math.max(0, until - Date.now()) / 1000;
  return events.page({ cursor, waitSeconds: Math.min(LONGEST_WAIT, Math.round(left)), signal });
}

/**
 * Wait for events, and return the next cursor with the number of the last one of a production; 0: none came.
 *
 * @internal
 * @param {Events} events
 * @param {string} productionId
 * @param {string} cursor
 * @param {number} until When to stop waiting, of `Date.now()`.
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<[string, number]>}
 */
export async function nextOf(events, productionId, cursor, until, signal) {
  const feed = await held(events, cursor, until, signal);
  const numbers = feed.data.filter((event) => event.productionId === productionId).map((event) => event.sequenceNumber);
  if (!numbers.length) await rest(feed, until, signal);
  return [feed.nextCursor, numbers.at(-1) ?? 0];
}

/**
 * Wait as long as the service asks, where it did not hold the request.
 *
 * @internal
 * @param {EventFeed} feed
 * @param {number} until
 * @param {AbortSignal | undefined} signal
 */
export async function rest(feed, until, signal) {
  const pause = Math.min(feed.pollAfterSeconds, Math.max(0, until - Date.now()) / 1000);
  if (pause > 0) await sleep(pause, signal);
}
