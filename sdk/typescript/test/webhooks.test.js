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
