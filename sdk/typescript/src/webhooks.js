// Verifies webhooks, by either of the two signatures that each delivery carries.

import { InvalidSignature } from "./errors.js";

/** @import { WebhookEvent } from "../types/models.js" */

const TOLERANCE = 300; // seconds
const SERVICE = "X-SERVICE-Signature";

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
export async function verifyWebhook(body, headers, secret, { scheme = "standard", toleranceSeconds = TOLERANCE, now } = {}) {
  const bytes = rawOf(body);
  const given = byName(headers);
  const key = await keyOf(secret);
  if (scheme === "service") await checkService(bytes, given, key);
  else await checkStandard(bytes, given, key, toleranceSeconds, now ?? Date.now() / 1000);
  return eventOf(bytes);
}

/**
 * Return the bytes of a body, copied, as another thread may hold them. InvalidSignature: it is a parsed one.
 *
 * @param {unknown} body
 * @returns {Uint8Array<ArrayBuffer>}
 */
function rawOf(body) {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  // One of another realm, such as of a test runner, is no instance of this one's ArrayBuffer.
  if (/ArrayBuffer\]$/.test(Object.prototype.toString.call(body))) return new Uint8Array(/** @type {ArrayBuffer} */ (body)).slice();
  const kind = Object.prototype.toString.call(body).slice(8, -1);
  throw new InvalidSignature(`The body is of the type ${kind}: this is a parsed body; pass the raw one, as bytes or a string.`, "parsed_body");
}

/** @param {Uint8Array} bytes */
function eventOf(bytes) {
  let event;
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new InvalidSignature("The body is signed, but no JSON.", "not_json", { cause });
  }
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw new InvalidSignature("The body is signed, but no JSON object.", "not_json");
  }
  return event;
}

/**
 * @param {Uint8Array} body
 * @param {Map<string, string[]>} given
 * @param {CryptoKey} key
 */
async function checkService(body, given, key) {
  const signatures = [...signaturesOf(given, SERVICE), ...signaturesOf(given, `${SERVICE}-Previous`)];
  if (!signatures.length) throw missing([SERVICE]);
  const found = signatures.map((each) => /^sha256=([0-9a-f]{64})$/.exec(each)?.[1]).filter((hex) => hex !== undefined);
  const digests = found.map((hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
  if (!(await isSigned(digests, body, key))) throw mismatch(SERVICE);
}

/**
 * @param {Uint8Array} body
 * @param {Map<string, string[]>} given
 * @param {CryptoKey} key
 * @param {number} tolerance
 * @param {number} now
 */
async function checkStandard(body, given, key, tolerance, now) {
  const absent = ["webhook-signature", "webhook-id", "webhook-timestamp"].filter((name) => !textOf(given, name).trim());
  if (absent.length) throw missing(absent);
  const timestamp = textOf(given, "webhook-timestamp");
  const head = new TextEncoder().encode(`${textOf(given, "webhook-id")}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const signatures = signaturesOf(given, "webhook-signature").filter((each) => each.startsWith("v1,"));
  const digests = signatures.map((each) => fromBase64(each.slice(3))).filter((each) => each !== null);
  if (!(await isSigned(digests, signed, key))) throw mismatch("webhook-signature");
  const age = /^\d+$/.test(timestamp) ? now - Number(timestamp) : Infinity;
  if (Math.abs(age) > tolerance) {
    const when = `${Math.abs(Math.round(age))} seconds ${age > 0 ? "ago" : "ahead"}`;
    throw new InvalidSignature(
      `webhook-timestamp is ${when}, more than ${tolerance}: check the clock, or somebody repeats an old delivery.`,
      age > 0 ? "too_old" : "too_new",
    );
  }
}

/**
 * Return the signatures of a header. A server that joins headers of one name writes commas between.
 *
 * @param {Map<string, string[]>} given
 * @param {string} name
 */
function signaturesOf(given, name) {
  return textOf(given, name).split(/\s+/).map((each) => each.replace(/^,+|,+$/g, "")).filter(Boolean);
}

/**
 * @param {Map<string, string[]>} given
 * @param {string} name
 */
function textOf(given, name) {
  return (given.get(name.toLowerCase()) ?? []).join(" ");
}

/** @param {string[]} names */
function missing(names) {
  const are = names.length === 1 ? "is" : "are";
  return new InvalidSignature(
    `${names.join(", ")} ${are} missing from the headers: pass all headers of the request; is it one of the service's?`, "missing",
  );
}

/** @param {string} name */
function mismatch(name) {
  return new InvalidSignature(
    `${name} was not made with this secret over these bytes: it is another subscription's secret, or the body was changed, ` +
      "such as parsed and written again.",
    "mismatch",
  );
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
 * Return the values of headers by name in lower case, whatever holds them.
 *
 * @param {any} headers
 * @returns {Map<string, string[]>}
 */
function byName(headers) {
  const found = new Map();
  for (const [name, value] of pairsOf(headers)) {
    const lower = String(name).toLowerCase();
    found.set(lower, [...(found.get(lower) ?? []), ...valuesOf(value)]);
  }
  return found;
}

/**
 * @param {any} headers
 * @returns {Iterable<readonly [string, unknown]>}
 */
function pairsOf(headers) {
  if (headers === null || typeof headers !== "object") return [];
  if (Array.isArray(headers) && headers.every((each) => typeof each === "string")) { // Node's rawHeaders
    return headers.flatMap((name, index) => (index % 2 ? [] : [[name, headers[index + 1]]]));
  }
  if (typeof headers[Symbol.iterator] === "function") return headers; // Headers, also undici's; Map; pairs
  if (typeof headers.entries === "function") return headers.entries();
  return Object.entries(headers);
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
function valuesOf(value) {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(valuesOf); // API Gateway's multiValueHeaders
  if (value && typeof value === "object" && "value" in value) return valuesOf(value.value); // CloudFront: { key, value }
  return [];
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
