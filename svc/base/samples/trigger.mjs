// Triggers a production and follows it until its files are there. Needs Node 18 or newer, and nothing else.
// BASE_URL=http://127.0.0.1:8080 API_KEY=<API_KEY> node trigger.mjs
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const { BASE_URL, API_KEY } = process.env;

async function call(path, { headers, ...more } = {}) {
  const response = await fetch(BASE_URL + path, { ...more, headers: { "X-API-Key": API_KEY, ...headers } });
  const body = await response.json();
  if (response.status === 429) {
    await sleep(body.retryAfterSeconds * 1000);
    return call(path, { headers, ...more });
  }
  if (!response.ok) throw new Error(`${body.error}: ${body.message} (${body.correlationId})`);
  return body;
}

const account = (await call("/v1/accounts?limit=1")).data[0];
const language = (await call("/v1/languages")).data.find((each) => each.code === "en");
const country = (await call("/v1/countries")).data.find((each) => each.code === "US");

let production = await call(`/v1/accounts/${account.accountId}/productions`, {
  method: "POST",
  headers: { "Content-Type": "application/json", "Idempotency-Key": randomUUID() }, // safe to send again when no answer came
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
