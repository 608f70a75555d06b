"""Triggers a production and follows it until its files are there. Needs requests.

BASE_URL=http://127.0.0.1:8080 API_KEY=<API_KEY> python trigger.py
"""

import os
import sys
import time
import uuid

import requests

BASE_URL = os.environ["BASE_URL"]
session = requests.Session()
session.headers["X-API-Key"] = os.environ["API_KEY"]


def call(method, path, **more):
    while True:
        response = session.request(method, BASE_URL + path, timeout=30, **more)
        if response.status_code != 429:
            break
        time.sleep(response.json()["retryAfterSeconds"])
    if not response.ok:
        sys.exit("{error}: {message} ({correlationId})".format(**response.json()))
    return response.json()


account = call("GET", "/v1/accounts?limit=1")["data"][0]
languages = {each["code"]: each["languageId"] for each in call("GET", "/v1/languages")["data"]}
countries = {each["code"]: each["countryId"] for each in call("GET", "/v1/countries")["data"]}

production = call(
    "POST",
    f"/v1/accounts/{account['accountId']}/productions",
    headers={"Idempotency-Key": str(uuid.uuid4())},  # makes it safe to send again when no answer came
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
