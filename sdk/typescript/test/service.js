// Answers that a test makes up, in place of a service.

import { Client } from "../src/index.js";

export const BASE = "https://media.example.com/prefix";
export const KEY = "svc_test_secret";
export const QUICK = { afterNoAnswer: [0, 0], afterServerError: [0, 0] };
export const BRIEF = { topic: "Tides", languageId: "l", countryId: "c", avatarId: "a" };

/** Gives its answers in their order, the last one for ever, and keeps the requests; an answer may be an error. */
export function service(...answers) {
  const requests = [];
  const send = async (url, options = {}) => {
    requests.push({ url: new URL(url), ...options, headers: new Headers(options.headers) });
    let answer = answers.length > 1 ? answers.shift() : answers[0];
    if (typeof answer === "function") answer = answer(requests.at(-1));
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  return { send, requests, client: (retries = QUICK) => new Client(BASE, KEY, { fetch: send, retries }) };
}

export const ok = (body = {}, headers = {}) => Response.json(body, { headers });

export function refusal(status, error, retryAfterSeconds = null, more = {}) {
  return Response.json({ error, message: "No.", retryAfterSeconds, correlationId: "c1", ...more }, { status });
}

/** What Node's fetch throws. */
export function lost(code) {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(`${code} 127.0.0.1`), { code }) });
}

export const late = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");

export async function collect(entries) {
  const found = [];
  for await (const each of entries) found.push(each);
  return found;
}
