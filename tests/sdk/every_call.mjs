// Calls every method of the TypeScript SDK against a server that works, and prints which: node every_call.mjs, run by
// test_typescript_live.py. What the answers are is asserted here, as a partner would read them.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import * as sdk from "partner-production";
import { download, downloadAll } from "partner-production/node";

const { BASE, KEY, LIVE_KEY, ACCOUNT, BRIEF } = process.env;
const PATIENCE = Number(process.env.PATIENCE); // seconds
const brief = JSON.parse(BRIEF);
const NONE = { afterNoAnswer: [], afterServerError: [], whenToldToWait: 0 }; // no further tries
const called = new Set();

/** Return a part of the client, of which each call that is answered is noted. */
function noted(part, name) {
  return new Proxy(part, {
    get(target, method) {
      const value = target[method];
      if (typeof value !== "function") return value;
      return (...given) => {
        called.add(`${name}.${method}`);
        return value.apply(target, given);
      };
    },
  });
}

const client = new sdk.Client(BASE, KEY);
const hasty = new sdk.Client(BASE, KEY, { retries: NONE });
const parts = Object.keys(client);
const api = Object.fromEntries(parts.map((name) => [name, noted(client[name], name)]));
const top = noted(client, "client");

async function all(iterator) {
  const entries = [];
  for await (const each of iterator) entries.push(each);
  return entries;
}

/** Return the error of a call, which is of this class and has this code. */
async function refusal(promise, kind, code) {
  const error = await promise.then(() => assert.fail(`no ${code}`), (failure) => failure);
  assert.ok(error instanceof kind, `${error}`);
  if (code) assert.equal(error.code, code);
  return error;
}

async function until(find) {
  const ends = Date.now() + 1000 * PATIENCE;
  for (;;) {
    const found = await find();
    if (found) return found;
    assert.ok(Date.now() < ends, `in vain: ${find}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// A receiver of webhooks.
const received = [];
let status = 204;
const receiver = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  received.push({ body: Buffer.concat(pieces), headers: request.headers });
  response.writeHead(status).end();
});
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const endpointUrl = `http://127.0.0.1:${receiver.address().port}/hooks`;

async function theKeyAndItsAccounts() {
  const verified = await api.partner.verify();
  assert.equal(verified.environment ?? "test", "test");
  const [account] = (await all(api.accounts.list())).filter((each) => each.accountId === ACCOUNT);
  assert.deepEqual(await api.accounts.get(ACCOUNT), account);
  const entries = [{ written: "SQL", spoken: "sequel" }];
  assert.deepEqual((await api.accounts.replaceLexicon(ACCOUNT, entries)).entries.map(({ written }) => written), ["SQL"]);
  assert.equal((await api.accounts.lexicon(ACCOUNT)).entries.length, 1);
  const link = await api.accounts.portalLink(ACCOUNT, 5);
  assert.equal((await fetch(link.url)).status, 200);
}

async function languagesAndCountries() {
  const [languages, countries] = [await all(top.languages()), await all(top.countries())];
  assert.ok(languages.length > 5 && countries.length > 100); // of several pages
  assert.equal(await top.languageId("EN"), brief.languageId);
  assert.equal(await top.countryId("us"), brief.countryId);
  await refusal(top.languageId("xx"), RangeError);
}

async function aProductionUnderReview(folder) {
  assert.ok((await api.productions.estimate(ACCOUNT, { ...brief, review: "script" })).isAccepted);
  const options = { idempotencyKey: `review-${Date.now()}` };
  const reference = `order + ${Date.now()}`;
  const reviewed = { ...brief, review: "script", externalId: reference };
  const { productionId } = await api.productions.trigger(ACCOUNT, reviewed, options);
  const again = await api.productions.trigger(ACCOUNT, reviewed, options);
  assert.equal(again.productionId, productionId);
  const [events, holds] = [[], []];
  const onHold = async (production) => {
    holds.push(production.holdReason);
    if (production.holdReason !== "ScriptReview") return;
    const script = await api.productions.script(productionId);
    const scenes = script.scenes.map(({ sceneId }) => ({ sceneId }));
    scenes[0].narration = "Nobody sleeps.";
    const changed = await api.productions.changeScript(productionId, { version: script.version, scenes });
    assert.equal(changed.version, 2);
    await refusal(api.productions.approveScript(productionId, { version: 1 }), sdk.Conflict, "SCRIPT_CHANGED");
    const film = await api.productions.previewScene(productionId, scenes[0].sceneId, { timeoutSeconds: PATIENCE });
    assert.equal(Buffer.from(film).subarray(4, 8).toString(), "ftyp");
    await api.productions.approveScript(productionId, { version: 2 });
  };
  const published = await api.productions.waitUntilPublished(productionId, {
    onEvent: (event) => events.push(event), onHold, timeoutSeconds: PATIENCE,
  });
  assert.equal(published.status, "Published");
  assert.ok(holds.includes("ScriptReview"));
  const numbers = events.map((event) => event.sequenceNumber);
  assert.equal(new Set(numbers).size, numbers.length);
  const plain = numbers.filter((number) => number < 1e9); // the script's own has one of its own
  assert.deepEqual(plain, plain.map((_, index) => index + 1));
  assert.deepEqual((await all(api.productions.events(productionId))).map((each) => each.sequenceNumber), numbers);
  assert.deepEqual((await all(api.productions.events(productionId, { afterSequence: numbers.at(-2) }))).length, 1);
  // The plus signs of both are encoded.
  const since = new Date(Date.now() - 3_600_000 + 3_600_000).toISOString().replace("Z", "+01:00");
  const listed = await all(api.productions.list(ACCOUNT, { since, externalId: reference, status: ["Published", "Failed"] }));
  assert.deepEqual(listed.map((each) => each.productionId), [productionId]);
  assert.equal((await api.productions.performance(productionId)).productionId, productionId);

  const page = await api.deliverables.page(productionId);
  const files = await api.deliverables.list(productionId);
  assert.equal(page.data.length, files.length);
  const video = files.find((each) => each.type === "Video");
  assert.equal((await api.deliverables.content(video)).length, video.sizeBytes);
  const saved = await download(client, video, `${folder}/film.mp4`);
  assert.equal((await readFile(saved)).length, video.sizeBytes);
  assert.equal((await downloadAll(client, productionId, `${folder}/all`)).length, files.length);
  const altered = { ...video, sha256: "0".repeat(64) };
  await refusal(api.deliverables.content(altered), sdk.HashMismatch);
  await refusal(api.deliverables.content({ ...video, sasUrl: `${video.sasUrl}x` }), sdk.Forbidden, "LINK_INVALID");
}

async function otherEndsOfProductions() {
  const held = `---\nsandbox:\n  holdIn: AwaitingApproval\n---\n${brief.metadataMD ?? ""}`;
  const waiting = await api.productions.trigger(ACCOUNT, { ...brief, metadataMD: held });
  const reviewed = await api.productions.trigger(ACCOUNT, { ...brief, review: "script" });
  const impatient = api.productions.waitUntilPublished(waiting.productionId, { timeoutSeconds: 0.1 });
  assert.equal((await refusal(impatient, sdk.WaitTimedOut)).production.productionId, waiting.productionId);
  const stopping = new AbortController();
  const stopped = api.productions.waitUntilPublished(waiting.productionId, { signal: stopping.signal });
  stopping.abort(new Error("enough"));
  assert.equal((await refusal(stopped, Error)).message, "enough");
  const holds = (id, reason) => until(async () => (await api.productions.get(id)).holdReason === reason);
  await holds(reviewed.productionId, "ScriptReview");
  await api.productions.rejectScript(reviewed.productionId, { reason: "Out of date." });
  const failed = await refusal(api.productions.waitUntilPublished(reviewed.productionId), sdk.ProductionFailed);
  assert.equal(failed.production.errorCode, "SCRIPT_REJECTED");
  await until(async () => (await api.productions.get(waiting.productionId)).status === "AwaitingApproval");
  await api.productions.reopenScript(waiting.productionId);
  await holds(waiting.productionId, "ScriptReview");
  await api.productions.cancel(waiting.productionId);
  await refusal(api.productions.waitUntilPublished(waiting.productionId), sdk.ProductionCancelled);

  const languageIds = [brief.languageId, await client.languageId("es")];
  const { languageId, ...without } = brief;
  const several = await api.productions.trigger(ACCOUNT, { ...without, languageId, languageIds: [languageIds[1]] });
  const group = await all(api.productions.list(ACCOUNT, { groupId: several.groupId }));
  const spanish = group.find((each) => each.languageId === languageIds[1]);
  const { segments } = await api.productions.translation(spanish.productionId);
  const translated = segments.map(({ segmentId }) => ({ segmentId, target: "Las mareas" }));
  assert.equal((await api.productions.translate(spanish.productionId, { segments: translated })).status, "Done");
  for (const each of group) await api.productions.cancel(each.productionId);
}

async function webhooks() {
  const eventTypes = ["production.queued", "production.cancelled", "webhook.test"];
  const made = await api.webhooks.create({ endpointUrl, eventTypes });
  const id = made.subscriptionId;
  assert.ok((await all(api.webhooks.list({}))).some((each) => each.subscriptionId === id));
  assert.equal((await api.webhooks.get(id)).status, "Active");
  const changed = await api.webhooks.change(id, { eventTypes: ["production.queued", "production.expiring"] });
  assert.deepEqual(changed.eventTypes, ["production.queued", "production.expiring"]);
  await api.webhooks.ping(id);
  const [ping] = await until(() => received.length && received.splice(0));
  for (const secret of [made.signingSecret, made.standardWebhooksSecret]) {
    for (const scheme of ["standard", "service"]) {
      assert.equal((await sdk.verifyWebhook(ping.body, ping.headers, secret, { scheme })).eventType, "webhook.test");
    }
  }
  const forged = Buffer.from(`${ping.body} `);
  assert.equal((await refusal(sdk.verifyWebhook(forged, ping.headers, made.signingSecret), sdk.InvalidSignature)).reason, "mismatch");
  const again = await refusal(hasty.webhooks.ping(id), sdk.RateLimited, "RATE_LIMIT_EXCEEDED");
  assert.ok(again.retryAfter > 0 && again.retryAfter <= 60);

  await api.webhooks.pause(id);
  const { productionId } = await api.productions.trigger(ACCOUNT, brief);
  const rolled = await api.webhooks.rollSecret(id, { overlapHours: 1 });
  await api.webhooks.resume(id);
  const [queued] = await until(() => received.length && received.splice(0));
  for (const secret of [rolled.signingSecret, made.signingSecret]) { // the old one signs, too
    assert.equal((await sdk.verifyWebhook(queued.body, queued.headers, secret)).productionId, productionId);
  }
  await api.productions.cancel(productionId);
  const delivery = await until(async () => (await all(api.webhooks.deliveries(id, { status: ["Succeeded"] })))
    .find((each) => each.eventType === "production.queued"));
  await api.webhooks.redeliver(id, delivery.deliveryId);
  await until(() => received.length && received.splice(0));
  assert.ok((await all(api.productions.deliveries(productionId))).length >= 1);
  const window = { from: new Date(Date.now() - 600_000).toISOString() };
  await until(async () => (await api.webhooks.replay(id, window)).queued); // none while the delivery is under way
  await until(() => received.length && received.splice(0));
  await refusal(api.webhooks.reinstate(id), sdk.Conflict);
  await api.webhooks.delete(id);
  await refusal(api.webhooks.delete(id), sdk.NotFound, "NOT_FOUND"); // it is done only if the answer to the first was lost
  await refusal(api.webhooks.get(id), sdk.NotFound, "NOT_FOUND");
}

async function batches() {
  const held = { ...brief, metadataMD: "---\nsandbox:\n  holdIn: Queued\n---\n" };
  const made = await api.batches.trigger(ACCOUNT, [held, held, { ...held, avatarId: ACCOUNT }]);
  assert.equal((await all(api.batches.list(ACCOUNT)))[0].batchId, made.batchId);
  assert.equal((await api.batches.get(made.batchId)).counts.refused, 1);
  assert.equal((await all(api.batches.items(made.batchId, {}))).length, 3);
  await refusal(api.batches.resume(made.batchId), sdk.Conflict, "BATCH_NOT_CANCELLED");
  const seen = [];
  const waiting = api.batches.wait(made.batchId, { onChange: (batch) => seen.push(batch.counts), timeoutSeconds: PATIENCE });
  await until(() => seen.length);
  await api.batches.cancel(made.batchId);
  assert.equal((await waiting).counts.cancelled, 2);
  assert.equal((await api.batches.resume(made.batchId)).status, "Open");
  await api.batches.cancel(made.batchId);
  assert.equal((await api.batches.wait(made.batchId, { timeoutSeconds: PATIENCE })).status, "Finished");
}

async function templates() {
  const wanted = { name: `Tides ${Date.now()}`, brief: { ...brief, topic: "Tides of {{city}}", review: "script" }, variables: [{ name: "city" }] };
  const { templateId } = await api.templates.create(ACCOUNT, wanted);
  assert.ok((await all(api.templates.list(ACCOUNT))).some((each) => each.templateId === templateId));
  assert.equal((await api.templates.replace(ACCOUNT, templateId, { ...wanted, name: `${wanted.name}!` })).name, `${wanted.name}!`);
  assert.equal((await api.templates.get(ACCOUNT, templateId)).name, `${wanted.name}!`);
  const values = { values: { city: "Faro" } };
  assert.equal((await api.templates.preview(ACCOUNT, templateId, values)).brief.topic, "Tides of Faro");
  const { productionId } = await api.templates.trigger(ACCOUNT, templateId, values);
  const wrong = await refusal(api.templates.trigger(ACCOUNT, templateId, { values: {} }), sdk.InvalidRequest, "INVALID_REQUEST");
  assert.ok(Object.keys(wrong.fields).length);
  const batch = await api.templates.triggerTable(ACCOUNT, templateId, "city\nFaro\nLagos\n", { mode: "atomic" });
  assert.equal(batch.size, 2);
  await api.productions.cancel(productionId);
  await api.batches.cancel(batch.batchId);
  await api.templates.delete(ACCOUNT, templateId);
  await refusal(api.templates.get(ACCOUNT, templateId), sdk.NotFound, "NOT_FOUND");
}

async function theFeedAndTheHistory() {
  const cursor = await api.events.latest();
  const { productionId } = await api.productions.trigger(ACCOUNT, brief);
  const page = await api.events.page({ cursor, waitSeconds: 30 });
  assert.equal(page.data[0].productionId, productionId);
  for await (const event of api.events.follow({ cursor })) {
    assert.equal(event.eventType, "production.queued");
    break;
  }
  await api.productions.cancel(productionId);
  assert.equal((await api.partner.usage({ months: 2 })).months.length, 2);
  const correlationId = `mine-${Date.now()}`;
  const answer = await top.request("GET", "/v1/partners/verify", { headers: { "X-Correlation-Id": correlationId } });
  assert.equal(answer.status, 200);
  await until(async () => (await all(api.partner.requests({ correlationId }))).length === 1);
  assert.ok((await all(api.partner.requests())).length > 100); // of several pages
}

async function errorsAndRetries() {
  await refusal(new sdk.Client(BASE, `${KEY}x`).partner.verify(), sdk.Unauthorized);
  await refusal(new sdk.Client(BASE, LIVE_KEY).accounts.get(ACCOUNT), sdk.ApiError);
  const sent = [];
  const flaky = async (address, init) => {
    const answer = await fetch(address, init);
    sent.push(new Headers(init.headers).get("Idempotency-Key"));
    if (sent.length === 1) throw new TypeError("the answer is lost");
    return answer;
  };
  const patient = new sdk.Client(BASE, KEY, { fetch: flaky });
  const { productionId } = await patient.productions.trigger(ACCOUNT, brief);
  assert.equal(sent.length, 2);
  assert.equal(sent[0], sent[1]);
  await client.productions.cancel(productionId);
  const nowhere = new sdk.Client("http://127.0.0.1:9", KEY, { retries: NONE });
  await refusal(nowhere.partner.verify(), sdk.ConnectionFailed);
}

await theKeyAndItsAccounts();
await languagesAndCountries();
await aProductionUnderReview("files");
await otherEndsOfProductions();
await webhooks();
await batches();
await templates();
await theFeedAndTheHistory();
await errorsAndRetries();
const rotated = await api.partner.rotateKey();
assert.ok((await new sdk.Client(BASE, rotated.apiKey).partner.verify()).keyPrefix !== undefined || rotated.apiKey);
receiver.close();

const methods = (object) => Object.getOwnPropertyNames(object).filter((name) => name !== "constructor");
const every = [
  ...parts.flatMap((name) => methods(Object.getPrototypeOf(client[name])).map((method) => `${name}.${method}`)),
  ...methods(sdk.Client.prototype).map((method) => `client.${method}`),
  ...methods(Object.getPrototypeOf(sdk.Client.prototype)).map((method) => `client.${method}`),
];
console.log(JSON.stringify({ every, missing: every.filter((name) => !called.has(name)) }));
process.exit(0);
