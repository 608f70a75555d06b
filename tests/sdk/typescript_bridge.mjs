// Calls what it is told of the TypeScript SDK, a line each: node typescript_bridge.mjs ADDRESS KEY; run by agency_ways.py.

import { createInterface } from "node:readline";
import { Client } from "partner-production";

const [address, key] = process.argv.slice(2);
const client = new Client(address, key);

/** Return what a method promises, or all that it iterates over. */
async function whole(result) {
  if (!(Symbol.asyncIterator in Object(result))) return result;
  const entries = [];
  for await (const each of result) entries.push(each);
  return entries;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { part, method, given } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: await whole(client[part][method](...given)) }));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error}` }));
  }
}
