// Triggers a production and follows it until its files are there. Needs Node 18 or newer, and nothing else.
// BASE=http://127.0.0.1:8080 KEY=<API_KEY> node trigger.mjs
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const { BASE, KEY } = process.env;

async function call(path, { headers, ...more } = {}) {
  for (const pause of [1, 2, 5, 10, null]) { // what never arrived, and what is to wait, is sent again
    let response;
    try {
      const signal = AbortSignal.timeout(30_000);
      response = await fetch(BASE + path, { ...more, signal, headers: { "X-API-Key": KEY, ...headers } });
    } catch (error) {
      if (pause === null) throw error;
      await sleep(pause * 1000);
      continue;
    }
    const body = await response.json();
    if (response.ok) return body;
    // The envelope of an error: error, message, retryAfterSeconds, correlationId.
    if (![429, 500, 503].includes(response.status) || pause === null) {
      throw new Error(`${body.error}: ${body.message} (${body.correlationId})`);
    }
    await sleep((body.retryAfterSeconds ?? pause) * 1000);
  }
}

const account = (await call("/v1/accounts?limit=1")).data[0];
const language = (await call("/v1/languages")).data.find((each) => each.code === "en");
const country = (await call("/v1/countries")).data.find((each) => each.code === "US");

let production = await call(`/v1/accounts/${account.accountId}/productions`, {
  method: "POST",
  headers: { "Content-Type": "application/json", "Idempotency-Key": randomUUID() }, // sent again with it, the trigger happens once
  body: JSON.stringify({
    topic: "How tides work",
    languageId: language.languageId,
    countryId: country.countryId,
    avatarId: account.avatars[0].avatarId,
  }),
});
const path = `/v1/productions/${production.productionId}`;
while (["Queued", "Producing"].includes(production.status)) {
  await sleep(production.pollAfterSeconds * 1000);
  production = await call(path);
  console.log(`${production.status} ${production.progressPercent}%`);
}
if (["Failed", "Cancelled"].includes(production.status)) throw new Error(`${production.status}: ${production.errorMessage}`);

for (const each of (await call(`${path}/deliverables`)).data) console.log(each.type, each.format, each.sasUrl);
