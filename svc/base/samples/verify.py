"""Receives webhooks and verifies each before believing it. Needs nothing but Python.

SIGNING_SECRET=<signingSecret> PORT=9000 python verify.py
"""

import base64
import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ["SIGNING_SECRET"]
key = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
seen = set()  # in your database: deliveries are at least once


def is_genuine(body: bytes, signature: str) -> bool:
    expected = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        # the raw bytes, never JSON written anew
        body = self.rfile.read(int(self.headers["Content-Length"]))
        genuine = is_genuine(body, self.headers.get("X-SERVICE-Signature", ""))
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if genuine:
            self.take(json.loads(body))

    def take(self, event):
        once = f"{event['productionId']}:{event['sequenceNumber']}"
        if once not in seen or event["sequenceNumber"] == 0:  # 0: a test event
            seen.add(once)
            print(event["eventType"], event["productionId"], event["sequenceNumber"], flush=True)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Handler).serve_forever()
