// Downloads, into memory and onto a disk.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Forbidden, HashMismatch } from "../src/index.js";
import { download, downloadAll } from "../src/node.js";
import { lost, ok, refusal, service } from "./service.js";

const CONTENT = Buffer.from("moving pictures".repeat(1000));
const folder = () => mkdtemp(join(tmpdir(), "sdk-"));

function deliverable(changes = {}) {
  return {
    deliverableId: "d1", type: "Video", platform: "Watch", format: "mp4", sasUrl: "https://files.test/d1?s",
    sizeBytes: CONTENT.length, sha256: createHash("sha256").update(CONTENT).digest("hex"), ...changes,
  };
}

const stored = (content = CONTENT) => new Response(content);

test("a download is there when it is what the API says, and the key is not sent", async () => {
  const { client, requests } = service(lost("ECONNRESET"), stored());
  const there = join(await folder(), "long".repeat(50), "new", "video.mp4");
  assert.equal(await download(client(), deliverable(), there), there);
  assert.deepEqual(await readFile(there), CONTENT);
  assert.deepEqual(await readdir(join(there, "..")), ["video.mp4"]);
  assert.ok(requests.every((each) => !each.headers.has("x-api-key")));
  assert.deepEqual(Buffer.from(await service(stored()).client().deliverables.content(deliverable())), CONTENT);
});

for (const [name, arrived] of [["short", CONTENT.subarray(1)], ["other", Buffer.from(CONTENT).fill(33, 0, 1)]]) {
  test(`nothing is kept of a download that is ${name}`, async () => {
    const there = await folder();
    await writeFile(join(there, "video.mp4"), "before");
    await assert.rejects(download(service(stored(arrived)).client(), deliverable(), join(there, "video.mp4")), HashMismatch);
    assert.deepEqual(await readdir(there), ["video.mp4"]);
    assert.equal(await readFile(join(there, "video.mp4"), "utf8"), "before");
    await assert.rejects(service(stored(arrived)).client().deliverables.content(deliverable()), HashMismatch);
  });
}

test("a download that breaks off is begun again", async () => {
  const broken = () => new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(CONTENT.subarray(0, 100));
      controller.error(new TypeError("terminated"));
    },
  }));
  const { client, requests } = service(broken, stored());
  const there = join(await folder(), "video.mp4");
  await download(client(), deliverable(), there);
  assert.deepEqual([await readFile(there), requests.length], [CONTENT, 2]);
});

test("an expired link is thrown, and a download of all gets a new one", async () => {
  const expired = refusal(403, "LINK_EXPIRED");
  const there = await folder();
  await assert.rejects(download(service(expired).client(), deliverable(), join(there, "x")), Forbidden);
  const fresh = ok({ data: [deliverable({ sasUrl: "https://files.test/d1?fresh" })] });
  const { client, requests } = service(ok({ data: [deliverable()] }), expired, fresh, stored());
  assert.deepEqual(await downloadAll(client(), "p1", there), [join(there, "Video-Watch.mp4")]);
  assert.equal(requests.at(-1).url.search, "?fresh");
});

test("files have different names and stay in the folder", async () => {
  const names = ["Watch", "Watch", "../../etc/passwd", null];
  const data = names.map((platform, number) => deliverable({ platform, deliverableId: String(number) }));
  const there = await folder();
  const paths = await downloadAll(service(ok({ data }), stored()).client(), "p1", there);
  const expected = ["Video-Watch.mp4", "Video-Watch-2.mp4", "Video-_etc_passwd.mp4", "Video.mp4"];
  assert.deepEqual(paths, expected.map((name) => join(there, name)));
  assert.deepEqual((await readdir(there)).sort(), [...expected].sort());
});
