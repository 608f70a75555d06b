// How waitUntilPublished follows a production.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionFailed, ProductionCancelled, ProductionFailed, WaitTimedOut } from "../src/index.js";
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

/** A production whose states follow each other, one with each request for events. */
function states(...all) {
  let shown = 0;
  return service(({ url }) => {
    if (url.pathname.endsWith("/v1/events")) {
      if (url.searchParams.get("cursor") !== "latest") shown = Math.min(shown + 1, all.length - 1);
      return ok({ data: [{ sequenceNumber: shown + 1, productionId: "p1" }], nextCursor: "1", pollAfterSeconds: 0 });
    }
    if (url.pathname.endsWith("/events")) return ok({ data: [], hasMore: false });
    return ok({ productionId: "p1", holdReason: null, ...all[shown] });
  }).client().productions;
}

const held = (holdReason) => ({ status: "Producing", holdReason });

test("a wait says why a production waits", async () => {
  const told = [];
  const onHold = (production) => told.push(production.holdReason ?? production.status);
  const story = states(held("Translation"), held("Translation"), held(null), held("ScriptReview"), { status: "AwaitingApproval" }, { status: "Published" });
  await story.waitUntilPublished("p1", { onHold });
  assert.deepEqual(told, ["Translation", "ScriptReview", "AwaitingApproval"]);
  await assert.rejects(states(held("ScriptReview")).waitUntilPublished("p1", { timeoutSeconds: 0 }), (error) => {
    assert.equal(error.message, "production p1 is Producing (ScriptReview: its script waits for approval) after 0 seconds");
    return error instanceof WaitTimedOut && error.production.holdReason === "ScriptReview";
  });
});

test("whatever ends a wait carries the production", async () => {
  const answer = ({ url }) => {
    if (url.searchParams.has("waitSeconds") && url.searchParams.get("cursor") !== "latest") return new TypeError("fetch failed");
    return ok({ data: [], hasMore: false, nextCursor: "1", pollAfterSeconds: 0, productionId: "p1", status: "Producing" });
  };
  await assert.rejects(service(answer).client().productions.waitUntilPublished("p1"), (error) => {
    return error instanceof ConnectionFailed && error.production.status === "Producing";
  });
});

/** A batch of two whose productions end one after the other, while the feed tells of these and of others. */
function batch(feed, recordedAfter = 0) {
  const seen = { gets: 0, ended: 0, waits: [] };
  return { seen, ...service(({ url }) => {
    if (url.pathname.endsWith("/v1/events")) {
      if (url.searchParams.get("cursor") === "latest") return ok({ data: [], nextCursor: "1", pollAfterSeconds: 0 });
      seen.waits.push(Number(url.searchParams.get("waitSeconds")));
      const eventType = feed.shift() ?? "";
      if (["production.published", "production.failed"].includes(eventType)) seen.ended++;
      return ok({ data: eventType ? [{ eventType, sequenceNumber: 1, productionId: "p1" }] : [], nextCursor: "1", pollAfterSeconds: 0 });
    }
    seen.gets++;
    const counts = { published: Math.min(seen.ended, 1), failed: Math.max(0, seen.ended - 1), producing: 2 - seen.ended };
    return ok({ batchId: "b1", status: seen.ended === 2 && recordedAfter-- <= 0 ? "Finished" : "Open", counts });
  }) };
}

test("a batch is waited for until its productions have ended", async () => {
  const { client, seen } = batch(["production.step.complete", "production.published", "", "production.failed"]);
  const told = [];
  const ended = await client().batches.wait("b1", { onChange: ({ counts }) => told.push(counts.producing) });
  assert.deepEqual([ended.status, ended.counts.failed, told, seen.gets], ["Finished", 1, [2, 1, 0], 4]);
});

test("the end of a batch, of which no event tells, is asked for soon", async () => {
  const { client, seen } = batch(["production.published", "production.failed"], 2);
  assert.equal((await client().batches.wait("b1")).status, "Finished");
  assert.deepEqual(seen.waits, [30, 30, 5, 5]);
});

test("waiting for a batch ends when the time is over, or the caller says so", async () => {
  await assert.rejects(batch([]).client().batches.wait("b1", { timeoutSeconds: 0 }), (error) => {
    assert.equal(error.message, "batch b1 is Open (2 producing) after 0 seconds");
    return error instanceof WaitTimedOut && error.batch.batchId === "b1";
  });
  const controller = new AbortController();
  const onChange = () => controller.abort(new Error("enough"));
  await assert.rejects(batch([]).client().batches.wait("b1", { onChange, signal: controller.signal }), /enough/);
});
