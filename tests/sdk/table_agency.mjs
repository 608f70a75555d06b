// An agency's table through the TypeScript SDK: node table_agency.mjs; test_table_agency.py says what it does.

import { Client } from "partner-production";

const { BASE, KEY, ACCOUNT, TEMPLATE, CSV, HALF } = process.env;
const client = new Client(BASE, KEY);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const items = async (batch) => {
  const found = [];
  for await (const each of client.batches.items(batch)) found.push(each);
  return found;
};

/** Wait until so many productions of a batch await their review; return them in their order. */
async function reviewed(batch, number) {
  for (;;) {
    const held = new Set();
    for await (const each of client.productions.list(ACCOUNT, { status: ["Producing"] })) {
      if (each.holdReason === "ScriptReview") held.add(each.productionId);
    }
    const waiting = (await items(batch)).map((each) => each.productionId).filter((each) => held.has(each));
    if (waiting.length === number) return waiting;
    await sleep(200);
  }
}

async function counted(batch, name, number) {
  while ((await client.batches.get(batch)).counts[name] < number) await sleep(200);
}

async function edit(production, narration) {
  const script = await client.productions.script(production);
  const scenes = [{ sceneId: script.scenes[0].sceneId, narration }];
  return (await client.productions.changeScript(production, { version: script.version, scenes })).version;
}

const { batchId, size } = await client.templates.triggerTable(ACCOUNT, TEMPLATE, CSV, { idempotencyKey: "table" });
const again = await client.templates.triggerTable(ACCOUNT, TEMPLATE, CSV, { idempotencyKey: "table" });
const scripts = await reviewed(batchId, size);
for (const each of scripts.slice(0, 2)) await client.productions.approveScript(each, { version: await edit(each, "Nobody sleeps.") });
await edit(scripts[Number(HALF)], "Nobody sleeps.");
await client.productions.rejectScript(scripts[size - 1], { reason: "Out of date." });
for (const each of scripts.slice(2, Number(HALF))) await client.productions.approveScript(each);
await counted(batchId, "published", Number(HALF));
await client.batches.cancel(batchId);
await counted(batchId, "cancelled", size - Number(HALF) - 1);
await client.batches.resume(batchId);
const resumed = await reviewed(batchId, size - Number(HALF) - 1);
for (const each of resumed) await client.productions.approveScript(each);
await counted(batchId, "published", size - 1);
console.log(JSON.stringify({ batchId, isRepeated: again.batchId === batchId, edited: [...scripts.slice(0, 2), resumed[0]] }));
