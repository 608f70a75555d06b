"""A production that is corrected after it was rendered, on a server that really renders."""

import pytest
import requests

from tests.faults.conftest import serve as serve
from tests.faults.test_faults import is_in_order, is_whole, status, trigger
from tests.work.test_recovery import until

NOTES = """---
sandbox:
  holdIn: AwaitingApproval
---

## The moon

The sea rises towards the moon, twice a day, at every coast of the world.

## The sun

The sun is far away, and its pull on the sea is weaker than that of the moon.

## The guest

A lion waits at the door of the house, and nobody lets it in.
"""


@pytest.mark.slow
def test_a_corrected_production_renders_what_changed(serve, tmp_path):
    service = serve(tmp_path)
    production = trigger(service, NOTES).json()["productionId"]
    until(lambda: status(service, production) == "AwaitingApproval", "the first revision")
    is_whole(service, production)
    media, cache = service.data_dir / "media" / production, service.data_dir / "cache"
    before, rendered = (
        (media / "transcript.txt").read_text(),
        {each.name for each in cache.rglob("*") if each.is_file()},
    )
    url = f"{service.address}/v1/productions/{production}/script"
    headers = {"X-API-Key": service.seeded["testKey"]}
    assert requests.post(f"{url}/reopen", headers=headers, timeout=60).status_code == 202
    script = requests.get(url, headers=headers, timeout=60).json()
    scenes = [{"sceneId": each["sceneId"]} for each in script["scenes"]]
    [changed] = [
        number for number, each in enumerate(script["scenes"]) if "lion" in each["narration"]
    ]
    scenes[changed]["narration"] = "A tiger waits at the door of the house, and nobody lets it in."
    answer = requests.put(url, json={"version": 1, "scenes": scenes}, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    assert requests.post(f"{url}/approve", headers=headers, timeout=60).status_code == 202
    until(lambda: status(service, production) == "AwaitingApproval", "the second revision")
    is_whole(service, production)
    after = (media / "transcript.txt").read_text()
    assert (
        "A lion waits" in before
        and "A tiger waits" in after
        and "A lion" not in after
        and "The sun is far away" in after
    )
    fresh = {each.name for each in cache.rglob("*") if each.is_file()} - rendered
    # the scenes that did not change were taken from the cache
    assert 0 < len(fresh) < len(rendered) / 2
    is_in_order(service, {production})
    assert service.ask("SELECT revision, status FROM productions") == [(2, "AwaitingApproval")]
