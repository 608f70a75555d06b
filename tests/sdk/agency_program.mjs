// A small agency's program, written with the TypeScript SDK: node agency_program.mjs briefs.csv, run by test_agency.py.

import { readFileSync } from "node:fs";
import { Client, ProductionEnded } from "partner-production";
import { downloadAll } from "partner-production/node";

const { BASE, KEY, ACCOUNT } = process.env;
const PATIENCE = Number(process.env.PATIENCE); // seconds
const client = new Client(BASE, KEY);

/** Trigger the production of a row, once, however often this program is run. */
async function trigger(row, avatarId) {
  const brief = {
    topic: row.topic,
    languageId: await client.languageId(row.language),
    countryId: await client.countryId("US"),
    avatarId,
    projectTypeSlug: row.type,
    metadataMD: row.notes,
    externalId: row.reference,
  };
  const options = { idempotencyKey: row.reference, waitForPlace: PATIENCE };
  const { productionId } = await client.productions.trigger(ACCOUNT, brief, options);
  console.log("triggered", row.reference);
  return productionId;
}

/** Wait until a production has ended; return its status and the files of a published one. */
async function seeThrough(row, productionId) {
  const onEvent = async (event) => {
    if (event.eventType === "production.awaiting_approval" && row.reference.endsWith("withdrawn")) {
      await client.productions.cancel(productionId);
    }
  };
  try {
    await client.productions.waitUntilPublished(productionId, { onEvent, timeoutSeconds: PATIENCE });
  } catch (error) {
    if (error instanceof ProductionEnded) return [error.production.status, []];
    throw error;
  }
  return ["Published", await downloadAll(client, productionId, row.reference)];
}

const [head, ...lines] = readFileSync(process.argv[2], "utf8").trim().split(/\r?\n/).map((line) => line.split(","));
const rows = lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [head[index], cell])));
const [avatar] = (await client.accounts.get(ACCOUNT)).avatars;
const productions = [];
for (const row of rows) productions.push(await trigger(row, avatar.avatarId));
const outcomes = await Promise.all(rows.map((row, index) => seeThrough(row, productions[index])));
const usage = await client.partner.usage();
const { spend } = usage.months[0].byAccount.find((each) => each.accountId === ACCOUNT);
console.log(JSON.stringify({ outcomes: Object.fromEntries(rows.map((row, index) => [row.reference, outcomes[index]])), spend }));
