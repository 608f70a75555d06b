// How waitUntilPublished follows a production.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ProductionCancelled, ProductionFailed, WaitTimedOut } from "../src/index.js";
import { ok, service } from "./service.js";

const KINDS = ["production.queued", "production.step.complete", "production.awaiting_approval", "end"];

/** A production whose events appear in its feed while somebody waits. */
function story(ends, { kinds = KINDS, shown = 1 } = {}) {
  const events = kinds.map((eventType, index) => ({ eventType, productionId: "p1", sequenceNumber: index + 1 }));
  const answer = ({ url }) => {
    if (url.pathname.endsWith("/v1/events")) {
      if (url.searchParams.get("cursor") === "latest") return ok({ data: [], hasMore: false, nextCursor: "1", pollAfterSeconds: 0 });
      shown = Math.min(shown + 1, events.length);
      const data = [{ eventType: "production.failed", productionId: "other", sequenceNumber: 99 }, events[shown - 1]];
      return ok({ data, hasMore: false, nextCursor: "2", pollAfterSeconds: 0 });
    }
    if (url.pathname.endsWith("/events")) {
      const after = Number(url.searchParams.get("afterSequence"));
      return ok({ data: events.slice(0, shown).filter((each) => each.sequenceNumber > after), hasMore: false, nextCursor: null });
    }
    const status = shown === events.length ? ends : "Producing";
    return ok({ productionId: "p1", status, errorCode: "E", errorMessage: "M." });
  };
  return service(answer).client();
}

test("each event is told once and in order, and a promise is awaited", async () => {
  const told = [];
  const onEvent = async (event) => {
    await new Promise(setImmediate);
    told.push(event.sequenceNumber);
  };
  const published = await story("Published").productions.waitUntilPublished("p1", { onEvent });
  assert.equal(published.status, "Published");
  assert.deepEqual(told, [1, 2, 3, 4]);
});

for (const [ends, kind] of [["Failed", ProductionFailed], ["Cancelled", ProductionCancelled]]) {
  test(`a production that is ${ends} is thrown`, async () => {
    await assert.rejects(story(ends).productions.waitUntilPublished("p1"), (error) => {
      assert.ok(error instanceof kind);
      assert.equal(error.message, `production p1 is ${ends} (E): M.`);
      return error.production.status === ends;
    });
  });
}

test("the events of a production that has ended are told", async () => {
  const told = [];
  await story("Published", { shown: 4 }).productions.waitUntilPublished("p1", { onEvent: (event) => told.push(event) });
  assert.equal(told.length, 4);
});

test("waiting ends when the time is over, or the caller says so", async () => {
  const endless = () => story("Published", { kinds: Array(100_000).fill("production.step.complete") }).productions;
  await assert.rejects(endless().waitUntilPublished("p1", { timeoutSeconds: 0.05 }), WaitTimedOut);
  const controller = new AbortController();
  const onEvent = (event) => event.sequenceNumber > 3 && controller.abort(new Error("enough"));
  const silent = service(({ url, signal }) => (url.searchParams.has("waitSeconds") && signal?.aborted ? signal.reason : ok({
    data: url.pathname.endsWith("/v1/events") ? [] : [{ sequenceNumber: 4 }], hasMore: false, nextCursor: "1", pollAfterSeconds: 60,
    productionId: "p1", status: "Producing",
  })));
  await assert.rejects(silent.client().productions.waitUntilPublished("p1", { onEvent, signal: controller.signal }), /enough/);
});
