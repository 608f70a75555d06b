"""What is really sent, verified by the libraries of Standard Webhooks just as a reader
would paste it.
"""

import json
import subprocess

import pytest
import standardwebhooks
from standardwebhooks import Webhook
from support import outbox_fixtures
from support.outbox import DRIVER, RING, record
from support.receivers import LOOPBACK, answering, receiving

from svc.adapters.http import Sender
from svc.base import clock
from svc.domain.webhooks import signing_secrets
from svc.work.delivery.dispatcher import Dispatcher
from tests.support.npm import npm_folder as npm_folder

PROGRAM = """
import { Webhook } from "standardwebhooks";
import { readFileSync } from "node:fs";
const { standardWebhooksSecret, body, headers } = JSON.parse(readFileSync(0, "utf8"));
console.log(new Webhook(standardWebhooksSecret).verify(body, headers).eventType);
"""

partner = outbox_fixtures.partner


@pytest.fixture
def delivered(partner):
    """A delivery as it arrived during an overlap: the secrets that verify it,
    its headers and its body.
    """
    got = []
    with receiving(answering(got=got)) as receiver:
        subscription = partner.subscribe(endpoint_url=receiver.url())
        rolled = signing_secrets.roll(
            partner.live, subscription["subscriptionId"], 24, clock.now(), RING
        )
        record(partner.produce(), now=clock.now())
        dispatcher = Dispatcher(DRIVER, Sender(LOOPBACK, seconds=5), RING)
        dispatcher.dispatch()
        dispatcher.stop()
    [(headers, body)] = got
    return [each["standardWebhooksSecret"] for each in (subscription, rolled)], headers, body


def test_the_python_library_takes_the_secret_as_it_is_pasted(delivered):
    secrets, headers, body = delivered
    for standard_webhooks_secret in secrets:
        assert (
            Webhook(standard_webhooks_secret).verify(body, headers)["eventType"]
            == "production.queued"
        )
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            Webhook(standard_webhooks_secret).verify(body + b" ", headers)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        Webhook("whsec_" + "A" * 43 + "=").verify(body, headers)


@pytest.mark.judges
def test_the_npm_library_takes_the_secret_as_it_is_pasted(delivered, npm_folder):
    secrets, headers, body = delivered
    (npm_folder / "verify.mjs").write_text(PROGRAM)
    for secret, changed, status in ((secrets[0], "", 0), (secrets[1], "", 0), (secrets[0], " ", 1)):
        told = json.dumps(
            {"standardWebhooksSecret": secret, "body": body.decode() + changed, "headers": headers}
        )
        ran = subprocess.run(
            ["node", "verify.mjs"],
            cwd=npm_folder,
            input=told,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ran.returncode == status, ran.stderr
        assert ran.stdout.strip() == ("" if status else "production.queued")
