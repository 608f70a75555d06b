// Receives webhooks and verifies each before believing it. Needs Node 18 or newer, and nothing else.
// SIGNING_SECRET=<signingSecret> PORT=9000 node verify.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.SIGNING_SECRET, "base64url");
const seen = new Set(); // in your database: deliveries are at least once

function isGenuine(body, signature) {
  const expected = Buffer.from("sha256=" + createHmac("sha256", key).update(body).digest("hex"));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function take(event) {
  const once = `${event.productionId}:${event.sequenceNumber}`;
  if (seen.has(once) && event.sequenceNumber !== 0) return; // 0: a test event
  seen.add(once);
  console.log(event.eventType, event.productionId, event.sequenceNumber);
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // the raw bytes, never JSON written anew
  const genuine = isGenuine(body, request.headers["x-service-signature"] ?? "");
  response.writeHead(genuine ? 204 : 401).end();
  if (genuine) take(JSON.parse(body));
}).listen(Number(process.env.PORT ?? 9000), "127.0.0.1");
