"""Options of gunicorn under which the service does not work are refused,
wherever they come from.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gunicorn.config import Config
from support.sampling import sampled

from svc.serving import gunicorn_config, options
from svc.serving.arbiter import Arbiter, _Failed

ROOT = Path(__file__).parents[2]


def config(**changes) -> Config:
    made = Config()
    for name, value in {**gunicorn_config.SETTINGS, **changes}.items():
        made.set(name, value)
    return made


def test_our_own_options_and_harmless_ones_are_taken():
    options.check_options(config())
    options.check_options(
        config(
            workers=4,
            threads=32,
            timeout=300,
            keepalive=5,
            bind="[::1]:8080",
            max_requests=1000,
            reuse_port=True,
        )
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"preload_app": True}, "--preload cannot be used.*GUNICORN_CMD_ARGS"),
        ({"workers": 0}, "--workers 0 .* would accept connections and answer none"),
        ({"worker_class": "sync"}, "worker class sync cannot be used"),
        ({"worker_class": "gthread"}, "worker class gthread cannot be used"),
        ({"forwarder_headers": "SCRIPT_NAME"}, "--forwarder-headers"),
        ({"forwarder_headers": "REMOTE_USER,PATH_INFO"}, "--forwarder-headers"),
        ({"header_map": "dangerous"}, "--header-map"),
        ({"preload_app": True, "worker_class": "sync"}, "--preload.*worker class sync"),
    ],
)
def test_an_option_that_breaks_the_service_is_refused_with_a_sentence(changes, said):
    with pytest.raises(options.Refused, match=said):
        options.check_options(config(**changes))


def test_gunicorn_waits_for_steps_that_drain(monkeypatch):
    monkeypatch.setenv("SVC_DRAIN_SECONDS", "600")
    reread = importlib.util.module_from_spec(gunicorn_config.__spec__)
    gunicorn_config.__spec__.loader.exec_module(reread)
    given = config(**reread.SETTINGS)
    assert given.graceful_timeout == 630
    options.check_options(given)
    with pytest.raises(options.Refused, match="--graceful-timeout 30 would kill steps"):
        options.check_options(config(**reread.SETTINGS | {"graceful_timeout": 30}))


def test_a_reload_with_such_an_option_leaves_the_old_workers_serving():
    class Reloaded:
        cfg = config(preload_app=True)

        def wsgi(self):
            pytest.fail("the application was loaded before the fork")

    arbiter = object.__new__(Arbiter)
    with pytest.raises(_Failed, match="--preload"):
        arbiter.setup(Reloaded())


def started(tmp_path, *words: str, setting: str = "", **more: str) -> subprocess.CompletedProcess:
    """Start gunicorn with our configuration, one setting of a file after it,
    and these words and variables.
    """
    own = tmp_path / "own.py"
    own.write_text(f"from svc.serving.gunicorn_config import *\n{setting}\n")
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--bind",
        "127.0.0.1:0",
        "--config",
        str(own),
        *words,
        "wsgi:app",
    ]
    environment = {
        **os.environ,
        "SVC_DATA_DIR": str(tmp_path / "data"),
        "PYTHONPATH": str(ROOT),
        **more,
    }
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("place", sampled(["environment", "command", "file"], 3))
def test_gunicorn_does_not_start_with_preload_and_prints_the_sentence(tmp_path, place):
    done = {
        "environment": lambda: started(tmp_path, GUNICORN_CMD_ARGS="--preload"),
        "command": lambda: started(tmp_path, "--preload"),
        "file": lambda: started(tmp_path, setting="preload_app = True"),
    }[place]()
    assert done.returncode == 1 and "Error: --preload cannot be used: threads and" in done.stderr, (
        done.stderr
    )
    assert not (tmp_path / "data").exists() and "Traceback" not in done.stderr


def test_gunicorn_does_not_start_with_another_worker_class_and_prints_the_sentence(tmp_path):
    done = started(tmp_path, GUNICORN_CMD_ARGS="--worker-class sync")
    assert done.returncode == 1 and "Error: The worker class sync cannot be used" in done.stderr, (
        done.stderr
    )
    assert not (tmp_path / "data").exists() and "Traceback" not in done.stderr
