/**
 * The headers of a request: of fetch or undici, a Map, an object whose values may be lists, pairs, or Node's `rawHeaders`.
 *
 * @typedef {Iterable<readonly [string, unknown]> | { entries(): Iterable<readonly [string, unknown]> } | Record<string, unknown> | readonly string[]} WebhookHeaders
 */
/**
 * Return the event of a delivery that is truly the service's. InvalidSignature: answer 401, and do not process it.
 *
 * Deliveries come at least once: deduplicate by `eventId`, or by `productionId` and `sequenceNumber`.
 *
 * `scheme`: `standard` checks `webhook-signature` (Standard Webhooks), which also covers the time of sending, so that an old
 * delivery is not accepted again; `service` checks `X-SERVICE-Signature`, which does not. `toleranceSeconds`: how much the
 * clocks may differ (300; `standard` only). `now`: Unix time in seconds; by default the clock's.
 *
 * @param {ArrayBufferView | ArrayBuffer | string} body The raw body of the request, never parsed and written again.
 * @param {WebhookHeaders} headers The headers of the request; the case of their names does not matter.
 * @param {string} secret `signingSecret` or `standardWebhooksSecret` of the webhook.
 * @param {{ scheme?: "standard" | "service", toleranceSeconds?: number, now?: number }} [options]
 * @returns {Promise<WebhookEvent>}
 */
export function verifyWebhook(body: ArrayBufferView | ArrayBuffer | string, headers: WebhookHeaders, secret: string, { scheme, toleranceSeconds, now }?: {
    scheme?: "standard" | "service";
    toleranceSeconds?: number;
    now?: number;
}): Promise<WebhookEvent>;
/**
 * The headers of a request: of fetch or undici, a Map, an object whose values may be lists, pairs, or Node's `rawHeaders`.
 */
export type WebhookHeaders = Iterable<readonly [string, unknown]> | {
    entries(): Iterable<readonly [string, unknown]>;
} | Record<string, unknown> | readonly string[];
import type { WebhookEvent } from "../types/models.js";
