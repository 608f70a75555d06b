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
export function nextOf(events: Events, productionId: string, cursor: string, until: number, signal: AbortSignal | undefined): Promise<[string, number]>;
/** The events of every production that the key may see, in one order. */
export class Events {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
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
    page({ cursor, since, waitSeconds, limit, signal }?: {
        cursor?: string | undefined;
        since?: string | undefined;
        waitSeconds?: number;
        limit?: number;
        signal?: AbortSignal | undefined;
    }): Promise<EventFeed>;
    /**
     * Return the cursor after the newest event.
     *
     * @returns {Promise<string>}
     */
    latest(): Promise<string>;
    /**
     * Yield events as they happen, without end. A program that must miss none keeps the cursors of `page` instead.
     *
     * @param {{ cursor?: string, since?: string, signal?: AbortSignal }} [options]
     * @returns {AsyncGenerator<Event, void, undefined>}
     */
    follow({ cursor, since, signal }?: {
        cursor?: string;
        since?: string;
        signal?: AbortSignal;
    }): AsyncGenerator<Event, void, undefined>;
    #private;
}
import type { EventFeed } from "../types/models.js";
import type { Event } from "../types/models.js";
import type { Transport } from "./transport.js";
