// The errors: each sentence once, capped, and nothing foreign comes through.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import * as sdk from "../src/index.js";
import { BASE, BRIEF, collect, KEY, late, lost, ok, refusal, service } from "./service.js";

const verify = (client) => client.partner.verify();
const html = (body, status = 200) => new Response(body, { status, headers: { "Content-Type": "text/html" } });
const json = (body) => new Response(body, { headers: { "Content-Type": "application/json" } });

test("a sentence is said once, and a message is capped", async () => {
  const said = { message: "topic: Too long.", fields: { topic: ["Too long."], avatarId: ["Unknown."] } };
  const { client } = service(refusal(400, "INVALID_REQUEST", null, said));
  await assert.rejects(verify(client()), { message: "400 INVALID_REQUEST: topic: Too long. avatarId: Unknown." });
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, number) => [`items[${number}]`, ["The avatar is unknown."]]));
  await assert.rejects(verify(service(refusal(409, "BATCH_REFUSED", null, { fields })).client()), (error) => {
    assert.deepEqual([error.message.length, error.message.at(-1), Object.keys(error.fields).length], [1000, "…", 1000]);
    return true;
  });
});

test("an error has the headers of its answer, and can be told and copied", async () => {
  const answer = Response.json({ error: "GONE", message: "No." }, { status: 404, headers: { "X-Correlation-Id": "c9" } });
  const error = await verify(service(answer).client()).catch((thrown) => thrown);
  assert.deepEqual([error.correlationId, error.headers["x-correlation-id"]], ["c9", "c9"]);
  assert.equal(structuredClone(error).message, error.message);
  const told = JSON.parse(JSON.stringify(error));
  assert.deepEqual([told.name, told.status, told.code, told.message], ["NotFound", 404, "GONE", "404 GONE: No."]);
  assert.ok(!("production" in told) && !inspect(error).includes("production"));
  const failed = new sdk.ProductionFailed({ productionId: "p1", status: "Failed", errorCode: "E", errorMessage: "M." });
  assert.equal(JSON.parse(JSON.stringify(failed)).production.productionId, "p1");
});

test("the wait may be a date", () => {
  const waits = [
    [{ "Retry-After": "Wed, 21 Oct 2026 07:28:42 GMT", Date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 42],
    [{ "Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT" }, 0], [{ "Retry-After": "7" }, 7], [{ "Retry-After": "soon" }, null],
    [{ "Retry-After": "-5" }, null], [{}, null],
  ];
  for (const [headers, seconds] of waits) {
    assert.equal(new sdk.RateLimited(429, new Headers(headers), "").retryAfter, seconds);
  }
  for (const told of ["true", "-1", '"7"', "[]", "1e999"]) {
    assert.equal(new sdk.RateLimited(429, new Headers(), `{"retryAfterSeconds": ${told}}`).retryAfter, null, told);
  }
});

const STRANGE = {
  HTML: [() => html("<html>"), /text\/html instead of JSON; is the address the service's/, 1],
  "cut JSON": [() => json('{"a": '), /no whole JSON/, 3],
  "no UTF-8": [() => json(Uint8Array.of(0x22, 0xff, 0x22)), /no UTF-8/, 3],
  "a list": [() => ok([]), /the answer is a list, not an object/, 1],
  "a text": [() => ok("text"), /the answer is a string, not an object/, 1],
  nothing: [() => new Response(""), /the answer is missing or null, not an object/, 1],
};
for (const [name, [answer, told, tries]] of Object.entries(STRANGE)) {
  test(`${name} in place of an answer is an error of its own`, async () => {
    const { client, requests } = service(answer);
    await assert.rejects(verify(client()), (error) => {
      assert.ok(error instanceof sdk.InvalidResponse && error instanceof sdk.ApiError && error.status === 200);
      assert.match(error.message, told);
      return error.code === "INVALID_RESPONSE";
    });
    assert.equal(requests.length, tries);
    const other = service(answer);
    await assert.rejects(other.client().webhooks.rollSecret("s1"), sdk.InvalidResponse);
    assert.equal(other.requests.length, tries);
  });
}

test("answers of another shape are an error of their own", async () => {
  const entry = { deliverableId: "d1", type: "Video", format: "mp4", sizeBytes: 1, sha256: "x" };
  const body = { data: [entry], hasMore: true, productionId: "p1", content: "%%%" };
  const calls = {
    status: (client) => client.productions.get("p1"), sasUrl: (client) => client.deliverables.list("p1"),
    "no Base64": (client) => client.productions.previewScene("p1", 1), nextCursor: (client) => collect(client.productions.list("a1")),
    "sequenceNumber of an entry of data": (client) => client.events.page(),
  };
  for (const [told, call] of Object.entries(calls)) {
    await assert.rejects(call(service(ok(body)).client()), { name: "InvalidResponse", message: new RegExp(told) });
  }
});

test("whatever fetch throws becomes an error of the client", async () => {
  const decoding = new TypeError("terminated", { cause: Object.assign(new Error("incorrect header check"), { code: "Z_DATA_ERROR" }) });
  for (const error of [decoding, new Error("own fetch"), new RangeError("odd"), lost("EPROTO"), late(), "text"]) {
    const { client } = service(() => { throw error; });
    await assert.rejects(verify(client({ afterNoAnswer: [], afterServerError: [] })), sdk.ConnectionFailed);
  }
  const away = new TypeError("fetch failed", { cause: new Error("bad port") });
  const { client, requests } = service(away);
  await assert.rejects(verify(client()), sdk.ConnectionFailed);
  assert.equal(requests.length, 1); // another try would not mend that
});

test("a wrong compression is an error of the client", async () => {
  const terminated = new TypeError("terminated", { cause: Object.assign(new Error("incorrect header check"), { code: "Z_DATA_ERROR" }) });
  const answer = () => new Response(new ReadableStream({ start: (controller) => controller.error(terminated) }), {
    headers: { "Content-Encoding": "gzip" },
  });
  await assert.rejects(verify(service({ clone: answer }).client()), { name: "InvalidResponse", message: /not compressed as it says: gzip/ });
});

test("a key loses what surrounds it, and one that cannot be sent is refused and never shown", async () => {
  const { send, requests } = service(ok());
  await new sdk.Client(BASE, ` ${KEY}\r\n`, { fetch: send }).partner.verify();
  assert.equal(requests[0].headers.get("x-api-key"), KEY);
  for (const key of ["svc_live_secret\nsecond", "svc_live_sécret", "svc live", "\0svc", "", " \n", undefined, 5]) {
    assert.throws(() => new sdk.Client(BASE, key), (error) => error instanceof TypeError && /the API key/.test(error.message) && !error.message.includes("svc"));
  }
  for (const address of ["media.example.com", "ftp://x", "http://", "https://x/?a=1", "https://x/#y", "https://u:p@x", "", null]) {
    assert.throws(() => new sdk.Client(address, KEY), /the address of the service/);
  }
});

test("what cannot be sent as a header is refused before anything is sent", async () => {
  const { client, requests } = service(ok());
  for (const idempotencyKey of ["Bestellung-ü", "a\nb", "a b", "", 5]) {
    await assert.rejects(client().webhooks.pause("s1", { idempotencyKey }), /an idempotency key has only letters of ASCII/);
  }
  for (const headers of [{ "X-Api-Key": "x" }, { "X Y": "x" }, { "X-Y": "a\nb" }, { "X-Y": "é" }, { "X-Y": 5 }]) {
    await assert.rejects(client().partner.verify({ headers }), TypeError);
  }
  await assert.rejects(client().productions.get("a\ud800"), /is no identifier/);
  const circular = {};
  circular.circular = circular;
  await assert.rejects(client().productions.trigger("a1", { ...BRIEF, circular }), TypeError);
  assert.equal(requests.length, 0);
});
