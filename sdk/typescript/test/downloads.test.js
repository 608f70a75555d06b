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

/** An answer that breaks off. */
function broken(content, headers = {}, status = 200) {
  return { clone: () => new Response(new ReadableStream({
    pull(controller) {
      if (content === null) return controller.error(new TypeError("terminated"));
      controller.enqueue(content);
      content = null;
    },
  }), { status, headers }) };
}

const startOf = ({ headers }) => Number(/^bytes=(\d+)-$/.exec(headers.get("range"))?.[1]);
const rest = (request) => new Response(CONTENT.subarray(startOf(request)), {
  status: 206, headers: { "Content-Range": `bytes ${startOf(request)}-${CONTENT.length - 1}/${CONTENT.length}` },
});

test("a download that breaks off goes on from where it was, onto a disk and in memory", async () => {
  const answers = () => [broken(CONTENT.subarray(0, 100), { ETag: '"e"' }), broken(CONTENT.subarray(100, 150), { "Content-Range": "bytes 100-" }, 206), rest];
  const there = join(await folder(), "video.mp4");
  const onDisk = service(...answers());
  await download(onDisk.client(), deliverable(), there);
  assert.deepEqual(await readFile(there), CONTENT);
  const inMemory = service(...answers());
  assert.deepEqual(Buffer.from(await inMemory.client().deliverables.content(deliverable())), CONTENT);
  for (const { requests } of [onDisk, inMemory]) {
    const asked = requests.map(({ headers }) => [headers.get("range"), headers.get("if-range"), headers.get("accept-encoding")]);
    assert.deepEqual(asked, [[null, null, "identity"], ["bytes=100-", '"e"', "identity"], ["bytes=150-", '"e"', "identity"]]);
  }
});

test("a download that gets on is tried as often as it gets on", async () => {
  const nextBytes = (request) => {
    const at = startOf(request);
    return broken(CONTENT.subarray(at, at + 1000), { "Content-Range": `bytes ${at}-` }, 206);
  };
  const { client, requests } = service(broken(CONTENT.subarray(0, 1000)), nextBytes);
  const there = join(await folder(), "video.mp4");
  await download(client(), deliverable(), there);
  assert.deepEqual([await readFile(there), requests.length], [CONTENT, 15]);
  const stuck = service(() => broken(CONTENT.subarray(0, 1000))); // always the same beginning
  await assert.rejects(download(stuck.client(), deliverable(), there), { name: "ConnectionFailed", message: /download of video.mp4: terminated/ });
  assert.equal(stuck.requests.length, 3);
});

for (const [name, second] of Object.entries({
  "the whole file": () => new Response(CONTENT), "no such range": () => new Response("", { status: 416 }),
  "another range": () => new Response("x", { status: 206, headers: { "Content-Range": "bytes 7-" } }),
})) {
  test(`a server that answers a range with ${name} gives the whole file in the end`, async () => {
    const { client } = service(broken(CONTENT.subarray(0, 100)), second, (request) => (request.headers.has("range") ? rest(request) : stored()));
    const there = await folder();
    await download(client(), deliverable(), join(there, "video.mp4"));
    assert.deepEqual([await readFile(join(there, "video.mp4")), await readdir(there)], [CONTENT, ["video.mp4"]]);
  });
}

test("a download that is too long is not read to its end", async () => {
  const { client, requests } = service(broken(Buffer.concat([CONTENT, Buffer.from("!")])));
  await assert.rejects(client().deliverables.content(deliverable()), (error) => error instanceof HashMismatch && error.deliverable.deliverableId === "d1");
  assert.equal(requests.length, 1);
});

test("a download has a time limit without a byte, and a signal ends it", async () => {
  const silent = () => ({ clone: () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(CONTENT.subarray(0, 1)) })) });
  const there = await folder();
  const once = { afterNoAnswer: [], afterServerError: [] };
  await assert.rejects(
    download(service(silent).client(once), deliverable(), join(there, "x"), { timeoutSeconds: 0.001 }),
    { name: "ConnectionFailed", message: /no byte came for 0.001 seconds/ },
  );
  const controller = new AbortController();
  const stopping = service(() => {
    setImmediate(() => controller.abort(new Error("enough")));
    return silent();
  });
  await assert.rejects(downloadAll(service(ok({ data: [deliverable()] }), (request) => {
    setImmediate(() => controller.abort(new Error("enough")));
    assert.ok(request.signal);
    return silent();
  }).client(), "p1", there, { signal: controller.signal }), /enough/);
  await assert.rejects(stopping.client().deliverables.content(deliverable(), { signal: controller.signal }), /enough/);
  assert.equal(stopping.requests.length, 0);
  assert.deepEqual(await readdir(there), []);
});

test("an error of the disk is thrown as it is, and nothing is asked for again", async () => {
  const { client, requests } = service(stored());
  const there = await folder();
  await writeFile(join(there, "file"), "");
  await assert.rejects(download(client(), deliverable(), join(there, "file", "video.mp4")), { code: /ENOTDIR|EEXIST/ });
  assert.equal(requests.length, 0);
});
