// verifyWebhook accepts what is signed with the secret and nothing else. Deliveries of a server: tests/sdk/test_typescript_live.py.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { InvalidSignature, verifyWebhook } from "../src/index.js";

const NOW = 1_795_262_400;
const SECRET = Buffer.alloc(32, "s");
const OLD = Buffer.alloc(32, "o");
const BODY = JSON.stringify({ eventId: "e1", eventType: "production.published", productionId: "p1", note: "ü" });
const SCHEMES = ["standard", "service"];

const service = (key, body = BODY) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
const standard = (key, at = NOW, body = BODY) => `v1,${createHmac("sha256", key).update(`e1.${at}.${body}`).digest("base64")}`;

function headers(key = SECRET, at = NOW, body = BODY) {
  return {
    "X-SERVICE-Signature": service(key, body), "Webhook-Id": "e1", "Webhook-Timestamp": String(at),
    "Webhook-Signature": standard(key, at, body),
  };
}

const FORMS = [SECRET.toString("base64url"), `whsec_${SECRET.toString("base64")}`, SECRET.toString("base64")];

for (const scheme of SCHEMES) {
  test(`a delivery of the service is accepted by the scheme ${scheme}, in every form`, async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const secret of FORMS) {
      for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)]) {
        for (const given of [headers(), new Headers(headers())]) {
          const event = await verifyWebhook(body, given, secret, { scheme, now: NOW });
          assert.equal(event.eventType, "production.published");
        }
      }
    }
  });

  const wrong = {
    "other bytes": [`${BODY} `, headers()], "other secret": [BODY, headers(), Buffer.alloc(32, "x").toString("base64")],
    "no headers": [BODY, {}], "other signer": [BODY, headers(OLD)],
    "no text": [BODY, Object.fromEntries(Object.keys(headers()).map((name) => [name, "v1,! sha256=é"]))],
    "in capitals": [BODY, { ...headers(), "X-SERVICE-Signature": service(SECRET).toUpperCase(), "Webhook-Signature": "V1,abc" }],
    "in part": [BODY, { ...headers(), "X-SERVICE-Signature": service(SECRET).slice(0, -2), "Webhook-Signature": "v1," }],
  };
  for (const [name, [body, given, secret = FORMS[0]]] of Object.entries(wrong)) {
    test(`${name}: refused by the scheme ${scheme}`, async () => {
      await assert.rejects(verifyWebhook(body, given, secret, { scheme, now: NOW }), InvalidSignature);
    });
  }

  test(`while a secret is rolled both verify by the scheme ${scheme}`, async () => {
    const both = {
      ...headers(), "X-SERVICE-Signature-Previous": service(OLD), "Webhook-Signature": `${standard(SECRET)} ${standard(OLD)}`,
    };
    for (const secret of [SECRET, OLD]) {
      assert.ok(await verifyWebhook(BODY, both, secret.toString("base64url"), { scheme, now: NOW }));
    }
  });
}

test("an old delivery is refused, and the tolerance can be given", async () => {
  for (const now of [NOW - 301, NOW + 301]) {
    await assert.rejects(verifyWebhook(BODY, headers(), FORMS[0], { now }), /webhook-timestamp/);
    assert.ok(await verifyWebhook(BODY, headers(), FORMS[0], { now, toleranceSeconds: 302 }));
  }
});

test("an old delivery is not accepted by leaving its time out", async () => {
  const alone = { "X-SERVICE-Signature": service(SECRET) };
  await assert.rejects(verifyWebhook(BODY, alone, FORMS[0], { now: NOW }), InvalidSignature);
});

test("a secret that is none is said to be", async () => {
  for (const secret of ["", "whsec_", "not base64!", undefined]) {
    await assert.rejects(verifyWebhook(BODY, headers(), secret, { now: NOW }), TypeError);
  }
});

test("a signed body that is no JSON is refused", async () => {
  for (const body of ["<"]) {
    await assert.rejects(verifyWebhook(body, headers(SECRET, NOW, body), FORMS[0], { now: NOW }), /no JSON/);
  }
});

/** Headers of another class than the runtime's, such as those of undici as a package. */
class OtherHeaders {
  #inner;
  constructor(given) {
    this.#inner = new Headers(given);
  }
  *[Symbol.iterator]() {
    yield* this.#inner;
  }
}

const KINDS_OF_HEADERS = {
  undici: () => new OtherHeaders(headers()),
  Map: () => new Map(Object.entries(headers())),
  pairs: () => Object.entries(headers()),
  rawHeaders: () => Object.entries(headers()).flat(),
  entries: () => ({ entries: () => Object.entries(headers()) }),
  "API Gateway": () => Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name, [value]])),
  CloudFront: () => Object.fromEntries(Object.entries(headers()).map(([key, value]) => [key.toLowerCase(), [{ key, value }]])),
  "no prototype": () => Object.assign(Object.create(null), headers()),
};
for (const [name, given] of Object.entries(KINDS_OF_HEADERS)) {
  test(`headers may be of the kind ${name}`, async () => {
    for (const scheme of SCHEMES) assert.equal((await verifyWebhook(BODY, given(), FORMS[0], { scheme, now: NOW })).eventId, "e1");
  });
}

test("a view of bytes is the part that it shows", async () => {
  const bytes = new TextEncoder().encode(`x${BODY}`);
  for (const view of [bytes.subarray(1), new DataView(bytes.buffer, 1)]) {
    assert.equal((await verifyWebhook(view, headers(), FORMS[0], { now: NOW })).eventId, "e1");
  }
});

test("a parsed body, a missing header, a wrong signature and an old one are told apart", async () => {
  const told = async (body, given, now = NOW, scheme = "standard") => {
    const error = await verifyWebhook(body, given, FORMS[0], { now, scheme }).catch((thrown) => thrown);
    assert.ok(error instanceof InvalidSignature, String(error));
    return [error.reason, error.message];
  };
  for (const body of [JSON.parse(BODY), [], null, undefined, 5]) {
    const [reason, message] = await told(body, headers());
    assert.equal(reason, "parsed_body");
    assert.match(message, /this is a parsed body; pass the raw one/);
  }
  for (const name of ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"]) {
    const [reason, message] = await told(BODY, { ...headers(), [name]: undefined });
    assert.equal(reason, "missing");
    assert.match(message, new RegExp(`^${name.toLowerCase()} is missing`));
  }
  assert.equal((await told(BODY, {}, NOW, "service"))[0], "missing");
  assert.equal((await told(BODY, undefined))[0], "missing");
  const [reason, message] = await told(JSON.stringify(JSON.parse(BODY), null, 1), headers());
  assert.equal(reason, "mismatch");
  assert.match(message, /parsed and written again/);
  assert.match((await told(BODY, headers(), NOW + 301)).join(), /^too_old,.*301 seconds ago/);
  assert.match((await told(BODY, headers(), NOW - 301)).join(), /^too_new,.*301 seconds ahead/);
  for (const body of ["[]", "5", "null"]) assert.equal((await told(body, headers(SECRET, NOW, body)))[0], "not_json");
});

test("signatures that a server has joined with commas are told apart", async () => {
  const both = { ...headers(), "Webhook-Signature": `${standard(SECRET)}, ${standard(OLD)}` };
  assert.ok(await verifyWebhook(BODY, both, FORMS[0], { now: NOW }));
});
