// What a caller may ask of single calls, and of the client.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as sdk from "../src/index.js";
import { BASE, BRIEF, collect, KEY, late, ok, QUICK, refusal, service } from "./service.js";

const verify = (client, options) => client.partner.verify(options);

const POSTS = {
  portalLink: (client, options) => client.accounts.portalLink("a1", 60, options),
  estimate: (client, options) => client.productions.estimate("a1", BRIEF, options),
  trigger: (client, options) => client.productions.trigger("a1", BRIEF, options),
  approveScript: (client, options) => client.productions.approveScript("p1", options),
  rejectScript: (client, options) => client.productions.rejectScript("p1", options),
  reopenScript: (client, options) => client.productions.reopenScript("p1", options),
  batch: (client, options) => client.batches.trigger("a1", [BRIEF], options),
  cancelBatch: (client, options) => client.batches.cancel("b1", options),
  resumeBatch: (client, options) => client.batches.resume("b1", options),
  template: (client, options) => client.templates.create("a1", {}, options),
  preview: (client, options) => client.templates.preview("a1", "t1", {}, options),
  byTemplate: (client, options) => client.templates.trigger("a1", "t1", {}, options),
  table: (client, options) => client.templates.triggerTable("a1", "t1", "city\n", options),
  webhook: (client, options) => client.webhooks.create({}, options),
  pause: (client, options) => client.webhooks.pause("s1", options),
  resume: (client, options) => client.webhooks.resume("s1", options),
  rollSecret: (client, options) => client.webhooks.rollSecret("s1", options),
  ping: (client, options) => client.webhooks.ping("s1", undefined, options),
  reinstate: (client, options) => client.webhooks.reinstate("s1", options),
  redeliver: (client, options) => client.webhooks.redeliver("s1", "d1", options),
  replay: (client, options) => client.webhooks.replay("s1", {}, options),
  rotateKey: (client, options) => client.partner.rotateKey(options),
  request: (client, options) => client.request("POST", "/v1/x", options),
};
for (const [name, post] of Object.entries(POSTS)) {
  test(`${name} carries an idempotency key, and is sent again with it`, async () => {
    const { client, requests } = service(late(), refusal(500, "INTERNAL_ERROR"), ok({ batchId: "b1", status: "Open", counts: {} }));
    await post(client());
    await post(client(), { idempotencyKey: "order-1" });
    const keys = requests.map((each) => each.headers.get("idempotency-key"));
    assert.match(keys[0], /^[0-9a-f-]{36}$/);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0], "order-1"]);
  });
}

test("nothing else carries an idempotency key", async () => {
  const { client, requests } = service(ok());
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) await client().request(method, "/v1/x");
  assert.deepEqual(requests.map((each) => each.headers.get("idempotency-key")), [null, null, null, null]);
});

test("every method takes the options of a call as its last argument", async () => {
  const answer = ok({
    data: [{ code: "en", languageId: "l", countryId: "c" }], hasMore: false, nextCursor: "1", pollAfterSeconds: 0, productionId: "p1",
    status: "Published", batchId: "b1", counts: {}, content: "",
  });
  const before = { portalLink: 2 }; // arguments with a default do not count as such
  const { client, requests } = service(answer);
  const parts = Object.entries(client());
  for (const [name, part] of parts) {
    for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((each) => each !== "constructor")) {
      const given = Array(before[method] ?? part[method].length).fill("x");
      const result = part[method](...given, { headers: { "X-Mine": `${name}.${method}` } });
      await (Symbol.asyncIterator in result ? result.next() : result).catch(() => {}); // of content(), which is given no deliverable
    }
  }
  const seen = new Set(requests.map((each) => each.headers.get("x-mine")));
  const methods = parts.flatMap(([name, part]) => Object.getOwnPropertyNames(Object.getPrototypeOf(part)).map((each) => `${name}.${each}`));
  const own = ["batches.wait", "productions.waitUntilPublished", "deliverables.content"]; // with options of their own
  const missing = methods.filter((each) => !each.endsWith("constructor") && !seen.has(each) && !own.includes(each));
  assert.deepEqual(missing, []);
});

test("each answer is shown with its headers and correlation id", async () => {
  const pages = [{ data: [{ n: 1 }], hasMore: true, nextCursor: "x" }, { data: [], hasMore: false }];
  const { client } = service(...pages.map((page, number) => ok(page, { "X-Correlation-Id": `c${number}` })));
  const seen = [];
  await collect(client().productions.list("a1", { onResponse: (response) => seen.push(response) }));
  assert.deepEqual(seen.map(({ status, correlationId }) => [status, correlationId]), [[200, "c0"], [200, "c1"]]);
  assert.match(seen[0].headers.get("content-type"), /json/);
  const own = new Error("of the caller");
  await assert.rejects(verify(service(ok()).client(), { onResponse: () => { throw own; } }), own);
});

test("a request that no method has can be sent", async () => {
  const { client, requests } = service(refusal(503, "BUSY", 0), ok({ new: 1 }, { "X-Correlation-Id": "c1" }));
  const answer = await client().request("GET", "/v1/new", { query: { months: 2, left: null }, headers: { "X-A": "b" } });
  assert.deepEqual([answer.status, answer.body, answer.correlationId], [200, { new: 1 }, "c1"]);
  assert.equal(requests[1].url.href, `${BASE}/v1/new?months=2`);
  assert.equal((await service(new Response(null, { status: 204 })).client().request("DELETE", "/v1/new")).body, null);
  await assert.rejects(client().request("GET", "https://elsewhere.test/"), /does not begin with \//);
});

test("no version is named if none is wanted", async () => {
  const { send, requests } = service(ok());
  for (const settings of [{ apiVersion: null }, { apiVersion: "2026-11-01" }, {}]) {
    await new sdk.Client(BASE, KEY, { fetch: send, ...settings }).partner.verify();
  }
  assert.deepEqual(requests.map((each) => each.headers.get("x-api-version")), [null, "2026-11-01", sdk.API_VERSION]);
});

test("the work of the client is told to a logger without the key", async () => {
  const { send } = service(late(), refusal(503, "BUSY", 0), ok({}, { "X-Correlation-Id": "c1" }));
  const told = [];
  const logger = { debug: (message) => told.push(["debug", message]), info: (message) => told.push(["info", message]) };
  await new sdk.Client(BASE, KEY, { fetch: send, retries: QUICK, logger }).productions.trigger("a1", BRIEF);
  const sent = "POST /v1/accounts/a1/productions";
  assert.deepEqual(told, [
    ["info", `${sent} is sent again in 0 s: The operation was aborted due to timeout`],
    ["debug", `${sent}: 503, correlation id null`], ["info", `${sent} is sent again in 0 s: 503 BUSY`],
    ["debug", `${sent}: 200, correlation id c1`],
  ]);
});

test("a signal ends any call, under way and in a pause, with its reason", async () => {
  const controller = new AbortController();
  const under = service(({ signal }) => ({ clone: () => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    controller.abort(new Error("enough"));
  }) }));
  await assert.rejects(verify(under.client(), { signal: controller.signal }), /enough/);
  const pausing = new AbortController();
  const busy = service(() => {
    setImmediate(() => pausing.abort(new Error("no more")));
    return refusal(503, "BUSY", 100);
  });
  await assert.rejects(verify(busy.client(), { signal: pausing.signal }), /no more/);
  assert.deepEqual([under.requests.length, busy.requests.length], [1, 1]);
  await assert.rejects(verify(busy.client(), { signal: AbortSignal.abort(new Error("before")) }), /before/);
  assert.equal(busy.requests.length, 1);
});

test("a call takes a timeout of its own", async () => {
  const never = service(({ signal }) => ({ clone: () => new Promise((_, reject) => {
    const guard = setTimeout(() => reject(new Error("no time limit")), 60_000); // keeps the program alive: AbortSignal.timeout does not
    signal.addEventListener("abort", () => (clearTimeout(guard), reject(signal.reason)));
  }) }));
  const once = { afterNoAnswer: [], afterServerError: [] };
  await assert.rejects(verify(never.client(once), { timeoutSeconds: 0.001 }), sdk.ConnectionFailed);
});
