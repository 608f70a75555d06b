// The feed of all events that the key may see.

import { sleep } from "./transport.js";

/** @import { Event, EventFeed } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */

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
   * @param {{ cursor?: string | undefined, since?: string | undefined, waitSeconds?: number, limit?: number,
   *   signal?: AbortSignal | undefined }} [options]
   * @returns {Promise<EventFeed>}
   */
  async page({ cursor, since, waitSeconds = 0, limit = 100, signal } = {}) {
    const query = { cursor, from: since, waitSeconds, limit };
    return this.#transport.send({ method: "GET", path: "/v1/events", query, waits: waitSeconds, signal });
  }

  /**
   * Return the cursor after the newest event.
   *
   * @returns {Promise<string>}
   */
  async latest() {
    return (await this.page({ cursor: "latest", limit: 1 })).nextCursor;
  }

  /**
   * Yield events as they happen, without end. A program that must miss none keeps the cursors of `page` instead.
   *
   * @param {{ cursor?: string, since?: string, signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<Event, void, undefined>}
   */
  async *follow({ cursor, since, signal } = {}) {
    let from = cursor;
    for (;;) {
      const feed = await this.page({ cursor: from, since: from ? undefined : since, waitSeconds: LONGEST_WAIT, signal });
      yield* feed.data;
      from = feed.nextCursor;
      if (feed.pollAfterSeconds) await sleep(feed.pollAfterSeconds, signal);
    }
  }
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
  const left = () => Math.max(0, until - Date.now()) / 1000;
  const feed = await events.page({ cursor, waitSeconds: Math.min(LONGEST_WAIT, Math.round(left())), signal });
  const numbers = feed.data.filter((event) => event.productionId === productionId).map((event) => event.sequenceNumber);
  const pause = Math.min(feed.pollAfterSeconds, left());
  if (!numbers.length && pause > 0) await sleep(pause, signal);
  return [feed.nextCursor, numbers.at(-1) ?? 0];
}
