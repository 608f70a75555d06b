"""Triggers a production and follows it until its files are there. Needs requests.

BASE=http://127.0.0.1:8080 KEY=<API_KEY> python trigger.py
"""

import os
import sys
import time
import uuid

import requests

BASE = os.environ["BASE"]
session = requests.Session()
session.headers["X-API-Key"] = os.environ["KEY"]


def call(method, path, **more):
    for pause in (1, 2, 5, 10, None):  # what never arrived, and what is to wait, is sent again
        try:
            response = session.request(method, BASE + path, timeout=30, **more)
        except (requests.ConnectionError, requests.Timeout):
            if pause is None:
                raise
            time.sleep(pause)
            continue
        if response.ok:
            return response.json()
        envelope = response.json()  # error, message, retryAfterSeconds, correlationId
        if response.status_code not in (429, 500, 503) or pause is None:
            sys.exit("{error}: {message} ({correlationId})".format(**envelope))
        time.sleep(envelope["retryAfterSeconds"] or pause)


account = call("GET", "/v1/accounts?limit=1")["data"][0]
languages = {each["code"]: each["languageId"] for each in call("GET", "/v1/languages")["data"]}
countries = {each["code"]: each["countryId"] for each in call("GET", "/v1/countries")["data"]}

production = call(
    "POST",
    f"/v1/accounts/{account['accountId']}/productions",
    # one for each intention: sent again with it, the trigger happens once
    headers={"Idempotency-Key": str(uuid.uuid4())},
    json={
        "topic": "How tides work",
        "languageId": languages["en"],
        "countryId": countries["US"],
        "avatarId": account["avatars"][0]["avatarId"],
    },
)
path = f"/v1/productions/{production['productionId']}"
while production["status"] in ("Queued", "Producing"):
    time.sleep(production["pollAfterSeconds"])
    production = call("GET", path)
    print(f"{production['status']} {production['progressPercent']}%", flush=True)
if production["status"] in ("Failed", "Cancelled"):
    sys.exit(f"{production['status']}: {production['errorMessage']}")

for each in call("GET", f"{path}/deliverables")["data"]:
    print(each["type"], each["format"], each["sasUrl"])
