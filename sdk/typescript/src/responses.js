// An answer of the API: what it says, and whether it has the shape that the SDK itself relies on.

import { excerpt, InvalidResponse } from "./errors.js";

/**
 * An answer that is no error. `body`: what its JSON says; null if it is empty.
 *
 * @typedef {object} ApiResponse
 * @property {number} status
 * @property {Headers} headers
 * @property {string | null} correlationId What to quote to support.
 * @property {any} body
 */

/** @typedef {"number" | "string" | "object" | readonly [string]} Wanted A list names the shape of its entries. */

/**
 * What the SDK reads of answers, by the type that they should have; whatever else they hold is the caller's to read.
 *
 * @type {Record<string, Record<string, Wanted>>}
 */
const READ = {
  Event: { sequenceNumber: "number" },
  EventFeed: { data: ["Event"], nextCursor: "string", pollAfterSeconds: "number" },
  ProductionWithSteps: { productionId: "string", status: "string" },
  ScenePreview: { content: "string" },
  Language: { languageId: "string", code: "string" },
  Country: { countryId: "string", code: "string" },
  Batch: { batchId: "string", status: "string", counts: "object" },
  Deliverable: {
    deliverableId: "string", type: "string", format: "string", sasUrl: "string", sizeBytes: "number", sha256: "string",
  },
  DeliverableList: { data: ["Deliverable"] },
};

/**
 * Return an answer whose body is to have a shape: one of READ, `object`, or `any`. InvalidResponse.
 *
 * @internal
 * @param {Response} response
 * @param {string} text
 * @param {string} shape
 * @returns {ApiResponse}
 */
export function read(response, text, shape) {
  const { status, headers } = response;
  const answer = { status, headers, correlationId: headers.get("x-correlation-id"), body: parsed(response, text) };
  if (shape !== "any") requireShape(answer, answer.body, shape, "the answer");
  return answer;
}

/**
 * InvalidResponse: an answer is no page of a list whose entries have a shape.
 *
 * @internal
 * @param {ApiResponse} answer
 * @param {string} shape
 */
export function requirePage(answer, shape) {
  const { body } = answer;
  requireShape(answer, body, "object", "the answer");
  if (!Array.isArray(body.data)) throw wrong(answer, `data of the answer is ${called(body.data)}, not a list`);
  for (const entry of body.data) requireShape(answer, entry, shape, "an entry of data");
  if (body.hasMore && typeof body.nextCursor !== "string") throw wrong(answer, "there is another page, but no nextCursor");
}

/**
 * @param {ApiResponse} answer
 * @param {any} value
 * @param {string} shape
 * @param {string} name
 */
function requireShape(answer, value, shape, name) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong(answer, `${name} is ${called(value)}, not an object`);
  }
  for (const [field, wanted] of Object.entries(READ[shape] ?? {})) {
    const [given, where] = [value[field], `${field} of ${name}`];
    if (typeof wanted === "string") {
      if (typeof given !== wanted || given === null) throw wrong(answer, `${where} is ${called(given)}`);
    } else {
      if (!Array.isArray(given)) throw wrong(answer, `${where} is ${called(given)}, not a list`);
      for (const entry of given) requireShape(answer, entry, wanted[0], `an entry of ${where}`);
    }
  }
}

/**
 * @param {Response} response
 * @param {string} text
 */
function parsed(response, text) {
  if (!text.trim()) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { status, headers } = response;
    const kind = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const isDamaged = kind.includes("json");
    const reason = isDamaged
      ? `The answer is no whole JSON: ${excerpt(text)}`
      : `The answer is ${kind || "something"} instead of JSON; is the address the service's? ${excerpt(text)}`;
    throw new InvalidResponse(status, headers, reason, isDamaged, { cause });
  }
}

/**
 * Return what a value is called, without what it holds.
 *
 * @param {unknown} value
 */
function called(value) {
  if (value === undefined || value === null) return "missing or null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/**
 * @param {ApiResponse} answer
 * @param {string} reason
 */
function wrong({ status, headers }, reason) {
  return new InvalidResponse(status, headers, `The answer has another shape: ${reason}.`);
}
