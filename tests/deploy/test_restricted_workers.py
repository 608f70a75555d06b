"""Workers that may not run everything, as processes on a real PostgreSQL and bucket beside a server
that runs no step.
"""

import subprocess

import pytest
from support.endpoints import Endpoint, speaks_japanese

from svc.base import ids
from svc.cli.demo.demo_server import Server
from tests.deploy.test_machines import Machines, machines  # noqa: F401
from tests.support.machines import WaitingWorker
from tests.work.test_recovery import until

pytestmark = [pytest.mark.slow, pytest.mark.judges]


def test_a_step_that_the_only_worker_may_not_run_raises_an_alert(machines):  # noqa: F811
    """The driver looks once a minute for steps that have waited for 30 seconds."""
    [server] = machines.servers
    messages = "SELECT message FROM alerts WHERE name = 'NoWorker'"
    with server, machines.worker("first", "--only", "captions") as worker:
        until(
            lambda: machines.ask("SELECT 1 FROM workers WHERE pid = %s", worker.process.pid),
            "a worker",
        )
        production = machines.trigger(server)
        until(lambda: machines.ask(messages), "the alert")
        [(message,)] = machines.ask(messages)
        assert "(script)" in message and "python app.py worker --only script`" in message
        curl = ["curl", "--silent", "--fail", f"{server.address}/metrics"]
        shown = subprocess.run(curl, capture_output=True, text=True, check=True, timeout=30).stdout
        assert 'name="NoWorker",severity="critical"' in shown
        with machines.worker("second", "--only", "script"):
            until(
                lambda: machines.ask("SELECT 1 FROM productions WHERE steps_complete = 1"),
                "the script",
            )
    assert machines.status(production) == "Producing"


class Speaking(Machines):
    """A server, and workers, whose speech endpoint speaks Japanese;
    and workers of which nobody set that.
    """

    def __init__(self, endpoint: Endpoint, postgres, bucket, tmp_path):
        speech = {
            "SVC_SPEECH_URL": endpoint.url,
            "SVC_SPEECH_MODEL": "tts-1",
            "SVC_SPEECH_LANGUAGES": "ja",
        }
        super().__init__(postgres, bucket | speech, tmp_path)

    def without(self, name: str) -> WaitingWorker:
        """A worker whose steps only wait: they take as long on a busy machine."""
        shared = {key: value for key, value in self._shared.items() if "SPEECH" not in key}
        return WaitingWorker(
            self._folder / name, self._folder / "data0" / "secret", WAIT_SECONDS="0.1", **shared
        )

    def trigger_in(self, server: Server, language: str, notes: str) -> str:
        brief = {name: self.seeded[name] for name in ("countryId", "avatarId")} | {
            "languageId": ids.derive_id("language", language)
        }
        address = f"/v1/accounts/{self.seeded['sandboxAccountId']}/productions"
        return self.client(server).post(address, {"topic": notes, "metadataMD": notes, **brief})[
            "productionId"
        ]


def test_a_production_waits_for_the_worker_that_speaks_its_language(postgres, bucket, tmp_path):
    spoken = "SELECT 1 FROM productions WHERE id = %s AND steps_complete >= 2"
    with Endpoint(speaks_japanese) as endpoint:
        machines = Speaking(endpoint, postgres, bucket, tmp_path)  # noqa: F811
        [server] = machines.servers
        with server, machines.without("first") as first:
            japanese = machines.trigger_in(server, "ja", "お茶をいれます。水を沸かします。")
            english = machines.trigger_in(server, "en", "We make tea.")
            until(lambda: machines.status(english) == "Published", "the English production")
            assert machines.status(japanese) == "Queued" and first.told().count("completed in") == 7
            with machines.worker("second") as second:
                until(lambda: machines.ask(spoken, japanese), "the Japanese narration")
                # after it was recorded
                until(lambda: "narration completed in" in second.told(), "the line that tells it")
                assert "at the same time: all, also in ja" in second.told()
            assert machines.ask("SELECT error_code FROM productions WHERE id = %s", japanese) == [
                (None,)
            ]
            assert first.told().count("completed in") == 7
    assert "Traceback" not in first.told() + second.told() + server.log.read_text()
