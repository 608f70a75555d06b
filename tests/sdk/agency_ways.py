"""The ways by which an agency reaches the API: both clients, agents' tools, and curl."""

import json
import subprocess
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import Client as Agent
from partner_production import Client, PartnerProductionError

from tests.sdk.agency_day import Json, Refused
from tests.sdk.test_agents import stdio
from tests.support.documents import ROOT

BRIDGE = ROOT / "tests" / "sdk" / "typescript_bridge.mjs"
LIMIT = 100  # entries of a list in one answer


def template_of(workshop, template: Json) -> Json:
    """Return a template as the API takes it."""
    seeded = workshop.seeded
    brief = {"language": "en", "country": "US", "avatarId": seeded["avatarId"]}
    brief |= {
        "topic": template["topic"],
        "metadataMD": template["notes"],
        "review": template["review"],
    }
    return {"name": template["name"], "brief": brief, "variables": template["variables"]}


def changed(script: Json, narration: str) -> list[Json]:
    """Return the scenes of a script, the first with another narration."""
    first, *others = ({"sceneId": each["sceneId"]} for each in script["scenes"])
    return [first | {"narration": narration}, *others]


class ByClient:
    """Methods of a client, which both clients have under names of their own.

    ``ask(part, method, *arguments, **options)`` calls one by its name in Python; lists are whole.
    """

    def __init__(self, workshop, ask: Callable[..., Any]):
        self._workshop, self._account, self._ask = workshop, workshop.account, ask

    def create_template(self, template: Json) -> str:
        wanted = template_of(self._workshop, template)
        return self._ask("templates", "create", self._account, wanted)["templateId"]

    def trigger_table(self, template_id: str, csv: str, idempotency_key: str) -> Json:
        arguments = (self._account, template_id, csv)
        return self._ask("templates", "trigger_table", *arguments, idempotency_key=idempotency_key)

    def batch(self, batch_id: str) -> Json:
        return self._ask("batches", "get", batch_id)

    def items(self, batch_id: str) -> list[Json]:
        return self._ask("batches", "items", batch_id)

    def producing(self) -> list[Json]:
        return self._ask("productions", "list", self._account, status=["Producing"])

    def script(self, production_id: str) -> Json:
        return self._ask("productions", "script", production_id)

    def change_script(self, production_id: str, version: int, narration: str) -> Json:
        change = {"version": version, "scenes": changed(self.script(production_id), narration)}
        return self._ask("productions", "change_script", production_id, change)

    def approve_script(self, production_id: str, version: int) -> Json:
        return self._ask("productions", "approve_script", production_id, version=version)

    def reject_script(self, production_id: str, version: int, reason: str) -> Json:
        why = {"version": version, "reason": reason}
        return self._ask("productions", "reject_script", production_id, **why)

    def cancel_batch(self, batch_id: str) -> Json:
        return self._ask("batches", "cancel", batch_id)

    def resume_batch(self, batch_id: str) -> Json:
        return self._ask("batches", "resume", batch_id)

    def production(self, production_id: str) -> Json:
        return self._ask("productions", "get", production_id)

    def usage(self) -> Json:
        return self._ask("partner", "usage")


@contextmanager
def by_python(workshop):
    with Client(workshop.address, workshop.key) as client:

        def ask(part: str, method: str, *arguments, **options):
            try:
                result = getattr(getattr(client, part), method)(*arguments, **options)
                return result if isinstance(result, dict) else list(result)
            except PartnerProductionError as refused:
                raise Refused(str(refused)) from refused

        yield ByClient(workshop, ask)


@contextmanager
def by_typescript(workshop, project: Path):
    """One program calls what it is told, a line each.

    ``project``: where the package is installed.
    """
    (project / BRIDGE.name).write_text(BRIDGE.read_text("utf-8"))
    with subprocess.Popen(
        ["node", BRIDGE.name, workshop.address, workshop.key],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def ask(part: str, method: str, *arguments, **options):
            given = [*arguments, {camel(name): value for name, value in options.items()}]
            call = {
                "part": part,
                "method": camel(method),
                "given": given if options else list(arguments),
            }
            process.stdin.write(json.dumps(call) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if "error" in answer:
                raise Refused(answer["error"])
            return answer["value"]

        yield ByClient(workshop, ask)
        process.stdin.close()
        assert process.wait(60) == 0


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)


class ByTools:
    """Agents' tools: ``call(name, **arguments)`` calls one."""

    def __init__(self, workshop, call: Callable[..., Json]):
        self._avatar, self._call = workshop.seeded["avatarId"], call
        self._account = {"accountId": workshop.account}

    def create_template(self, template: Json) -> str:
        made = self._call("create_template", **template, avatarId=self._avatar, **self._account)
        return made["templateId"]

    def trigger_table(self, template_id: str, csv: str, idempotency_key: str) -> Json:
        order = {"templateId": template_id, "csv": csv, "idempotencyKey": idempotency_key}
        return self._call("trigger_table", **order, **self._account)

    def batch(self, batch_id: str) -> Json:
        return self._call("batch", batchId=batch_id)["batch"]

    def items(self, batch_id: str) -> list[Json]:
        page = self._call("batch", batchId=batch_id)
        found = page["items"]
        while page["nextCursor"]:
            page = self._call("batch", batchId=batch_id, cursor=page["nextCursor"])
            found += page["items"]
        return found

    def producing(self) -> list[Json]:
        query = {"status": ["Producing"], "limit": LIMIT}
        found = self._call("list_productions", **query, **self._account)["productions"]
        return [{"holdReason": None} | each for each in found]  # which a list leaves out

    def script(self, production_id: str) -> Json:
        return self._call("script", productionId=production_id)

    def change_script(self, production_id: str, version: int, narration: str) -> Json:
        scenes = changed(self.script(production_id), narration)
        change = {"productionId": production_id, "version": version, "scenes": scenes}
        return self._call("change_script", **change)

    def approve_script(self, production_id: str, version: int) -> Json:
        return self._call("approve_script", productionId=production_id, version=version)

    def reject_script(self, production_id: str, version: int, reason: str) -> Json:
        why = {"version": version, "reason": reason}
        return self._call("reject_script", productionId=production_id, **why)

    def cancel_batch(self, batch_id: str) -> Json:
        return self._call("cancel_batch", batchId=batch_id)

    def resume_batch(self, batch_id: str) -> Json:
        return self._call("resume_batch", batchId=batch_id)

    def production(self, production_id: str) -> Json:
        return self._call("follow", productionId=production_id)["production"]

    def usage(self) -> Json:
        return self._call("usage")


@contextmanager
def by_tools(workshop):
    """The command, driven by the client of the protocol's own SDK."""
    with start_blocking_portal() as portal:
        agent = Agent(stdio(workshop, workshop.key))
        with portal.wrap_async_context_manager(agent) as session:

            def call(name: str, /, **arguments) -> Json:
                answer = portal.call(partial(session.call_tool, name, arguments))
                if answer.is_error:
                    raise Refused(answer.content[0].text)
                return answer.structured_content

            yield ByTools(workshop, call)


class ByCurl:
    """curl, as the reference shows it."""

    def __init__(self, workshop):
        self._workshop = workshop
        self._account = f"/v1/accounts/{workshop.account}"

    def _curl(self, method: str, path: str, body: Any = None, *headers: str) -> Json:
        workshop = self._workshop
        command = ["curl", "-sS", "--noproxy", "*", "-w", "\n%{http_code}", "-X", method]
        for header in (f"X-API-Key: {workshop.key}", "Content-Type: application/json", *headers):
            command += ["-H", header]
        if body is not None:
            command += ["-d", "@-"]
        run = subprocess.run(
            [*command, workshop.address + path],
            input=json.dumps(body),
            capture_output=True,
            text=True,
            check=True,
        )
        text, _, status = run.stdout.rpartition("\n")
        if status[0] != "2":
            raise Refused(text)
        return json.loads(text)

    def create_template(self, template: Json) -> str:
        wanted = template_of(self._workshop, template)
        return self._curl("POST", f"{self._account}/templates", wanted)["templateId"]

    def trigger_table(self, template_id: str, csv: str, idempotency_key: str) -> Json:
        path, once = (
            f"{self._account}/templates/{template_id}/batches",
            f"Idempotency-Key: {idempotency_key}",
        )
        return self._curl("POST", path, {"csv": csv}, once)

    def batch(self, batch_id: str) -> Json:
        return self._curl("GET", f"/v1/batches/{batch_id}")

    def items(self, batch_id: str) -> list[Json]:
        return self._curl("GET", f"/v1/batches/{batch_id}/items?limit={LIMIT}")["data"]

    def producing(self) -> list[Json]:
        query = f"status=Producing&limit={LIMIT}"
        return self._curl("GET", f"{self._account}/productions?{query}")["data"]

    def _script(self, method: str, production_id: str, verb: str = "", body: Any = None) -> Json:
        return self._curl(method, f"/v1/productions/{production_id}/script{verb}", body)

    def script(self, production_id: str) -> Json:
        return self._script("GET", production_id)

    def change_script(self, production_id: str, version: int, narration: str) -> Json:
        scenes = changed(self.script(production_id), narration)
        return self._script("PUT", production_id, body={"version": version, "scenes": scenes})

    def approve_script(self, production_id: str, version: int) -> Json:
        return self._script("POST", production_id, "/approve", {"version": version})

    def reject_script(self, production_id: str, version: int, reason: str) -> Json:
        why = {"version": version, "reason": reason}
        return self._script("POST", production_id, "/reject", why)

    def cancel_batch(self, batch_id: str) -> Json:
        return self._curl("POST", f"/v1/batches/{batch_id}/cancel")

    def resume_batch(self, batch_id: str) -> Json:
        return self._curl("POST", f"/v1/batches/{batch_id}/resume")

    def production(self, production_id: str) -> Json:
        return self._curl("GET", f"/v1/productions/{production_id}")

    def usage(self) -> Json:
        return self._curl("GET", "/v1/partner/usage")
