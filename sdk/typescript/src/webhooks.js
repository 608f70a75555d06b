// Verifies webhooks, by either of the two signatures that each delivery carries.

import { InvalidSignature } from "./errors.js";

/** @import { WebhookEvent } from "../types/models.js" */

const TOLERANCE = 300; // seconds

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
export async function verifyWebhook(body, headers, secret, { scheme = "standard", toleranceSeconds = TOLERANCE, now } = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const given = named(headers);
  const key = await keyOf(secret);
  if (scheme === "service") await checkService(bytes, given, key);
  else await checkStandard(bytes, given, key, toleranceSeconds, now ?? Date.now() / 1000);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new InvalidSignature("The body is signed, but no JSON.", { cause });
  }
}

/**
 * @param {Uint8Array} body
 * @param {(name: string) => string} given
 * @param {CryptoKey} key
 */
async function checkService(body, given, key) {
  const signatures = `${given("x-service-signature")} ${given("x-service-signature-previous")}`.split(" ");
  const found = signatures.map((each) => /^sha256=([0-9a-f]{64})$/.exec(each)?.[1]).filter((hex) => hex !== undefined);
  const digests = found.map((hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
  if (!(await isSigned(digests, body, key))) {
    throw new InvalidSignature("X-SERVICE-Signature is missing, or not made with this secret over these bytes.");
  }
}

/**
 * @param {Uint8Array} body
 * @param {(name: string) => string} given
 * @param {CryptoKey} key
 * @param {number} tolerance
 * @param {number} now
 */
async function checkStandard(body, given, key, tolerance, now) {
  const timestamp = given("webhook-timestamp");
  const head = new TextEncoder().encode(`${given("webhook-id")}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const signatures = given("webhook-signature").split(" ").filter((each) => each.startsWith("v1,"));
  const digests = signatures.map((each) => fromBase64(each.slice(3))).filter((each) => each !== null);
  if (!(await isSigned(digests, signed, key))) {
    throw new InvalidSignature("webhook-signature is missing, or not made with this secret over these bytes.");
  }
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) {
    throw new InvalidSignature("webhook-timestamp is not of these minutes: check the clock, or somebody repeats an old delivery.");
  }
}

/**
 * Return whether any of the digests is that of the bytes; WebCrypto compares in constant time.
 *
 * @param {Uint8Array<ArrayBuffer>[]} digests
 * @param {Uint8Array} bytes
 * @param {CryptoKey} key
 */
async function isSigned(digests, bytes, key) {
  const content = new Uint8Array(bytes);
  const matches = await Promise.all(digests.map((each) => crypto.subtle.verify("HMAC", key, each, content)));
  return matches.includes(true);
}

/**
 * Return a look-up of headers by name in lower case.
 *
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @returns {(name: string) => string}
 */
function named(headers) {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? "";
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = lower[name];
    return Array.isArray(value) ? value.join(" ") : (value ?? "");
  };
}

/**
 * Return a signing secret in either form as a key. TypeError: it is neither.
 *
 * @param {string} secret
 */
async function keyOf(secret) {
  const text = String(secret).trim().replace(/^whsec_/, "").replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  const bytes = fromBase64(text);
  if (bytes === null) throw new TypeError("the secret is neither a signingSecret nor a standardWebhooksSecret");
  if (!bytes.length) throw new TypeError("the secret is empty");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | null}
 */
function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
