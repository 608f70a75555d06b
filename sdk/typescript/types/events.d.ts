/**
 * Wait for events, and return those that came; none may have come.
 *
 * @internal
 * @param {Events} events
 * @param {string} cursor
 * @param {number} until When to stop waiting, of `Date.now()`.
 * @param {AbortSignal | undefined} signal
 */
export function held(events: Events, cursor: string, until: number, signal: AbortSignal | undefined): Promise<EventFeed>;
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
/**
 * Wait as long as the service asks, where it did not hold the request.
 *
 * @internal
 * @param {EventFeed} feed
 * @param {number} until
 * @param {AbortSignal | undefined} signal
 */
export function rest(feed: EventFeed, until: number, signal: AbortSignal | undefined): Promise<void>;
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
     * @param {{ cursor?: string | undefined, since?: string | undefined, waitSeconds?: number, limit?: number } & RequestOptions} [options]
     * @returns {Promise<EventFeed>}
     */
    page({ cursor, since, waitSeconds, limit, ...options }?: {
        cursor?: string | undefined;
        since?: string | undefined;
        waitSeconds?: number;
        limit?: number;
    } & RequestOptions): Promise<EventFeed>;
    /**
     * Return the cursor after the newest event.
     *
     * @param {RequestOptions} [options]
     * @returns {Promise<string>}
     */
    latest(options?: RequestOptions): Promise<string>;
    /**
     * Yield events as they happen, without end. A program that must miss none keeps the cursors of `page` instead.
     *
     * @param {{ cursor?: string | undefined, since?: string | undefined } & RequestOptions} [options]
     * @returns {AsyncGenerator<Event, void, undefined>}
     */
    follow({ cursor, since, ...options }?: {
        cursor?: string | undefined;
        since?: string | undefined;
    } & RequestOptions): AsyncGenerator<Event, void, undefined>;
    #private;
}
import type { EventFeed } from "../types/models.js";
import type { RequestOptions } from "./transport.js";
import type { Event } from "../types/models.js";
import type { Transport } from "./transport.js";
