/**
 * Return the event of a delivery that is truly the service's. InvalidSignature: answer 401, and do not process it.
 *
 * Deliveries come at least once: deduplicate by `eventId`, or by `productionId` and `sequenceNumber`.
 *
 * `scheme`: `standard` checks `webhook-signature` (Standard Webhooks), which also covers the time of sending, so that an old
 * delivery is not accepted again; `service` checks `X-SERVICE-Signature`, which does not. `toleranceSeconds`: how much the
 * clocks may differ (300; `standard` only). `now`: Unix time in seconds; by default the clock's.
 *
 * @param {Uint8Array | ArrayBuffer | string} body The raw body of the request, never parsed and written again.
 * @param {Headers | Record<string, string | string[] | undefined>} headers The headers of the request.
 * @param {string} secret `signingSecret` or `standardWebhooksSecret` of the subscription.
 * @param {{ scheme?: "standard" | "service", toleranceSeconds?: number, now?: number }} [options]
 * @returns {Promise<WebhookEvent>}
 */
export function verifyWebhook(body: Uint8Array | ArrayBuffer | string, headers: Headers | Record<string, string | string[] | undefined>, secret: string, { scheme, toleranceSeconds, now }?: {
    scheme?: "standard" | "service";
    toleranceSeconds?: number;
    now?: number;
}): Promise<WebhookEvent>;
import type { WebhookEvent } from "../types/models.js";
