// Downloads onto a disk, for Node: a file appears under its final name only when it is whole and the one that was described.

import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { check, receive } from "./deliverables.js";
import { Forbidden } from "./errors.js";

/** @import { Client } from "./client.js" */
/** @import { RequestOptions, Transport } from "./transport.js" */
/** @import { Deliverable } from "../types/models.js" */

/**
 * Save a file and return its path: it is there only when its size and SHA-256 are those that the API says.
 *
 * A download that breaks off goes on from where it was. `timeoutSeconds`: without a byte, after which an answer counts as lost.
 *
 * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
 *
 * @param {Client} client
 * @param {Deliverable} deliverable
 * @param {string} target
 * @param {RequestOptions} [options]
 * @returns {Promise<string>}
 */
export async function download(client, deliverable, target, options = {}) {
  await mkdir(dirname(target), { recursive: true });
  const partial = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomUUID()}.part`);
  const file = await open(partial, "wx");
  try {
    await save(client.deliverables.transport, deliverable, file, options, `download of ${basename(target)}`);
    await file.close();
    await rename(partial, target);
    return target;
  } finally {
    await file.close();
    await rm(partial, { force: true });
  }
}

/**
 * Save every file of a production into `folder` and return the paths, such as `Video-Watch.mp4`.
 *
 * @param {Client} client
 * @param {string} productionId
 * @param {string} folder
 * @param {RequestOptions} [options]
 * @returns {Promise<string[]>}
 */
export async function downloadAll(client, productionId, folder, options = {}) {
  const entries = await client.deliverables.list(productionId, options);
  const targets = namesOf(entries).map((name) => join(folder, name));
  for (const [number, entry] of entries.entries()) {
    const target = /** @type {string} */ (targets[number]);
    try {
      await download(client, entry, target, options);
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error; // else an hour has passed meanwhile
      const list = await client.deliverables.list(productionId, options);
      const fresh = list.find((each) => each.deliverableId === entry.deliverableId);
      if (!fresh) throw error;
      await download(client, fresh, target, options);
    }
  }
  return targets;
}

/**
 * @param {Transport} transport
 * @param {Deliverable} deliverable
 * @param {import("node:fs/promises").FileHandle} file
 * @param {RequestOptions} options
 * @param {string} name
 */
async function save(transport, deliverable, file, options, name) {
  let [hash, size] = [createHash("sha256"), 0];
  const sink = {
    /** @param {Uint8Array} piece */
    write: async (piece) => {
      for (let done = 0; done < piece.length;) { // to its place: a file that begins anew goes back to its beginning
        done += (await file.write(piece, done, piece.length - done, size + done)).bytesWritten;
      }
      hash.update(piece);
      size += piece.length;
    },
    restart: async () => {
      await file.truncate(0);
      [hash, size] = [createHash("sha256"), 0];
    },
  };
  await receive(transport, deliverable, sink, options, name);
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
