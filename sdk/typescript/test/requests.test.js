// How requests are sent, sent again, paged and refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import * as sdk from "../src/index.js";
import { afterAnswer, USUAL } from "../src/retries.js";
import { BASE, BRIEF, collect, KEY, late, lost, ok, refusal, service } from "./service.js";

const verify = (client) => client.partner.verify();
const trigger = (client, options) => client.productions.trigger("a1", BRIEF, options);

test("the key goes in its header, and the base address may have a path", async () => {
  const { client, requests } = service(ok({ partnerName: "P" }));
  assert.deepEqual(await verify(client()), { partnerName: "P" });
  assert.equal(requests[0].url.href, `${BASE}/v1/partners/verify`);
  assert.equal(requests[0].headers.get("x-api-key"), KEY);
  assert.equal(requests[0].headers.get("x-api-version"), sdk.API_VERSION);
  assert.equal(requests[0].redirect, "manual");
});

test("a portal link is asked for again when no answer came", async () => {
  const { client, requests } = service(refusal(503, "SERVICE_UNAVAILABLE", 0), ok({ url: "https://x/portal/y" }));
  assert.equal((await client().accounts.portalLink("a/1", 5)).url, "https://x/portal/y");
  assert.equal(requests.length, 2);
  assert.equal(requests[1].url.href, `${BASE}/v1/accounts/a%2F1/portal-links`);
  assert.deepEqual(JSON.parse(requests[1].body), { expiresInMinutes: 5 });
});

for (const [status, code] of [[429, "RATE_LIMIT_EXCEEDED"], [503, "SERVICE_UNAVAILABLE"]]) {
  test(`a request that is told to wait by ${status} is sent again`, async () => {
    const { client, requests } = service(refusal(status, code, 0), refusal(status, code, 0), ok({ done: true }));
    assert.deepEqual(await verify(client()), { done: true });
    assert.equal(requests.length, 3);
  });
}

test("the wait is that of the answer, in its body or its header", async () => {
  const failures = [refusal(429, "RATE_LIMIT_EXCEEDED", 42), new Response("", { status: 429, headers: { "Retry-After": "7" } })];
  const waits = failures.map(async (response) => {
    const error = new sdk.ApiError(response.status, response.headers, await response.text());
    return afterAnswer(USUAL, error, 1);
  });
  assert.deepEqual(await Promise.all(waits), [42, 7]);
});

test("a limit that asks for hours is thrown", async () => {
  const { client, requests } = service(refusal(429, "RATE_LIMIT_EXCEEDED", 40_000));
  await assert.rejects(verify(client()), (error) => error instanceof sdk.RateLimited && error.retryAfter === 40_000);
  assert.equal(requests.length, 1);
});

test("a server error is tried again and then thrown", async () => {
  const { client, requests } = service(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await assert.rejects(verify(client()), { name: "Unavailable", code: "HTTP_502", message: "502 HTTP_502: <h1>Bad gateway</h1>" });
  assert.equal(requests.length, 3);
});

for (const error of [lost("ECONNREFUSED"), lost("ECONNRESET"), late()]) {
  test(`a request without an answer is sent again: ${error.cause?.code ?? error.name}`, async () => {
    const { client, requests } = service(error, ok({ productionId: "p" }));
    assert.deepEqual(await trigger(client()), { productionId: "p" });
    assert.equal(requests.length, 2);
  });
}

test("a request that never gets an answer is thrown with its cause", async () => {
  const { client, requests } = service(lost("ECONNREFUSED"));
  const message = "GET /v1/partners/verify: ECONNREFUSED 127.0.0.1";
  await assert.rejects(verify(client()), (error) => error instanceof sdk.ConnectionFailed && error.message === message && error.cause !== undefined);
  assert.equal(requests.length, 3);
});

test("a trigger carries one Idempotency-Key however often it is sent", async () => {
  const { client, requests } = service(late(), refusal(503, "SERVICE_UNAVAILABLE", 0), ok());
  await trigger(client());
  await trigger(client());
  await trigger(client(), { idempotencyKey: "order-1" });
  const keys = requests.map((each) => each.headers.get("idempotency-key"));
  assert.deepEqual([keys[1], keys[2], keys[4]], [keys[0], keys[0], "order-1"]);
  assert.notEqual(keys[3], keys[0]);
  assert.deepEqual(JSON.parse(requests[0].body), BRIEF);
});

test("a deletion whose answer was lost is done", async () => {
  const gone = refusal(404, "NOT_FOUND");
  assert.equal(await service(late(), gone).client().webhooks.delete("s1"), undefined);
  await assert.rejects(service(gone).client().webhooks.delete("s1"), sdk.NotFound);
  await assert.rejects(service(late(), gone).client().productions.cancel("p1"), sdk.NotFound);
});

for (const [status, kind] of Object.entries({
  400: "InvalidRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict", 422: "InvalidRequest",
})) {
  test(`a refusal by ${status} is ${kind} and is not sent again`, async () => {
    const fields = { topic: ["Too long."] };
    const { client, requests } = service(refusal(Number(status), "CODE", null, { fields }));
    await assert.rejects(trigger(client()), (error) => {
      assert.ok(error instanceof sdk[kind] && error instanceof sdk.ApiError && error.name === kind);
      assert.equal(error.message, `${status} CODE: No. topic: Too long.`);
      const { code, detail, retryAfter, correlationId } = error;
      assert.deepEqual({ code, detail, retryAfter, correlationId, fields: error.fields },
        { code: "CODE", detail: "No.", retryAfter: null, correlationId: "c1", fields });
      return true;
    });
    assert.equal(requests.length, 1);
  });
}

test("a place among concurrent productions is waited for if asked", async (context) => {
  const full = refusal(409, "CONCURRENCY_LIMIT_REACHED");
  await assert.rejects(trigger(service(full, ok()).client()), sdk.Conflict);
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, requests } = service(full, full, ok({ productionId: "p" }));
  let waiting = true;
  const triggered = trigger(client(), { waitForPlace: 60 }).finally(() => (waiting = false));
  while (waiting) {
    await new Promise(setImmediate);
    context.mock.timers.tick(1000);
  }
  assert.deepEqual(await triggered, { productionId: "p" });
  assert.equal(new Set(requests.map((each) => each.headers.get("idempotency-key"))).size, 1);
});

test("lists are read page after page", async () => {
  const { client, requests } = service(
    ok({ data: [{ n: 1 }, { n: 2 }], hasMore: true, nextCursor: "x" }), ok({ data: [{ n: 3 }], hasMore: false, nextCursor: null }),
  );
  const listed = await collect(client().productions.list("a1", { status: ["Failed", "Published"] }));
  assert.deepEqual(listed.map((each) => each.n), [1, 2, 3]);
  assert.equal(requests[0].url.search, "?limit=100&status=Failed&status=Published");
  assert.equal(requests[1].url.search, "?limit=100&status=Failed&status=Published&cursor=x");
});

test("an identifier is one segment of the path", async () => {
  const { client, requests } = service(ok({ productionId: "p1", status: "Queued" }));
  await client().productions.get("a/../b?c#d");
  assert.equal(requests[0].url.pathname, "/prefix/v1/productions/a%2F..%2Fb%3Fc%23d");
  for (const wrong of ["", ".", "..", undefined]) await assert.rejects(client().productions.get(wrong), /is no identifier/);
  assert.equal(requests.length, 1);
});

test("a client needs a key and an address, and does not show the key", () => {
  assert.throws(() => new sdk.Client(BASE, ""), /key is empty/);
  assert.throws(() => new sdk.Client("", KEY), /address .* is empty/);
  const client = new sdk.Client(BASE, KEY);
  assert.ok(!inspect(client, { depth: 9, showHidden: true }).includes(KEY) && !JSON.stringify(client).includes(KEY));
});

test("a redirect is not followed with the key", async () => {
  const { client, requests } = service(new Response(null, { status: 302, headers: { Location: "https://elsewhere.test" } }), ok());
  await assert.rejects(verify(client()), { code: "HTTP_302" });
  assert.equal(requests.length, 1);
});

test("a code becomes an identifier", async () => {
  const page = ok({ data: [{ languageId: "1", code: "en" }, { languageId: "2", code: "pt-BR" }], hasMore: false });
  assert.equal(await service(page).client().languageId("pt-br"), "2");
  await assert.rejects(service(page).client().languageId("tlh"), /no language 'tlh'/);
});
