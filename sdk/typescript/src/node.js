// Downloads onto a disk, for Node: a file appears under its final name only when it is whole and the one that was described.

import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { check } from "./deliverables.js";
import { Forbidden } from "./errors.js";

/** @import { Client } from "./client.js" */
/** @import { Deliverable } from "../types/models.js" */

/**
 * Save a file and return its path: it is there only when its size and SHA-256 are those that the API says.
 *
 * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
 *
 * @param {Client} client
 * @param {Deliverable} deliverable
 * @param {string} target
 * @returns {Promise<string>}
 */
export async function download(client, deliverable, target) {
  const { transport } = client.deliverables;
  await mkdir(dirname(target), { recursive: true });
  return transport.again({ method: "GET", path: "" }, `download of ${target}`, async () => {
    const partial = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomUUID()}.part`);
    try {
      await save(await transport.open(deliverable.sasUrl), deliverable, partial);
      await rename(partial, target);
      return target;
    } finally {
      await rm(partial, { force: true });
    }
  });
}

/**
 * Save every file of a production into `folder` and return the paths, such as `Video-Watch.mp4`.
 *
 * @param {Client} client
 * @param {string} productionId
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
export async function downloadAll(client, productionId, folder) {
  const entries = await client.deliverables.list(productionId);
  const targets = namesOf(entries).map((name) => join(folder, name));
  for (const [number, entry] of entries.entries()) {
    const target = /** @type {string} */ (targets[number]);
    try {
      await download(client, entry, target);
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error; // else an hour has passed meanwhile
      const fresh = (await client.deliverables.list(productionId)).find((each) => each.deliverableId === entry.deliverableId);
      if (!fresh) throw error;
      await download(client, fresh, target);
    }
  }
  return targets;
}

/**
 * @param {Response} response
 * @param {Deliverable} deliverable
 * @param {string} partial
 */
async function save(response, deliverable, partial) {
  const hash = createHash("sha256");
  let size = 0;
  const body = /** @type {import("node:stream/web").ReadableStream<Uint8Array>} */ (response.body ?? new ReadableStream());
  const counted = async function* (/** @type {AsyncIterable<Uint8Array>} */ pieces) {
    for await (const piece of pieces) {
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  };
  await pipeline(Readable.fromWeb(body), counted, createWriteStream(partial, { flags: "wx" }));
  check(deliverable, size, hash.digest("hex"));
}

/**
 * Return a file name for each deliverable, all different. A platform's name may be anything.
 *
 * @param {Deliverable[]} deliverables
 */
function namesOf(deliverables) {
  const taken = new Map();
  return deliverables.map((each) => {
    const stem = safe(each.platform ? `${each.type}-${each.platform}` : each.type);
    const ending = safe(each.format);
    const number = (taken.get(`${stem}.${ending}`) ?? 0) + 1;
    taken.set(`${stem}.${ending}`, number);
    return number > 1 ? `${stem}-${number}.${ending}` : `${stem}.${ending}`;
  });
}

/** @param {string} name */
function safe(name) {
  return name.replace(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, 100);
}
