"""What a deployment is made of, as processes on free ports of the loopback interface:
gunicorn, nginx, Caddy.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.support.receivers import Authority
from tests.torture.victim import answers, free_port

ROOT = Path(__file__).parents[2]
HOST = "localhost"
START_SECONDS = 120.0  # until a program that does not start is given up
_NGINX = """
{user}
worker_processes 1;
worker_rlimit_nofile 65536;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
daemon off;
events {{ worker_connections 16384; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    {temporary}
    include {site};
}}
"""


@dataclass
class Process:
    """A program in a process group of its own, whose output goes to a file."""

    command: list[str]
    log: Path
    environment: dict[str, str] = field(default_factory=dict)
    more: dict = field(default_factory=dict)
    process: subprocess.Popen | None = None

    def launch(self) -> None:
        outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=outer | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self.more,
            )

    def wait_until(self, happened: Callable[[], object]) -> None:
        """Wait until it is as far. AssertionError: it is not, with its log."""
        deadline = time.monotonic() + START_SECONDS
        while not happened():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said()
            time.sleep(0.02)

    def tell(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self, seconds: float = 120.0) -> int:
        """End it in good order; its status. AssertionError: it had to be killed."""
        if self.process is None:
            return 0
        try:
            if self.process.poll() is None:
                self.process.terminate()
                self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.command[0]} does not end: {self.said()}") from None
        finally:
            self.kill()
        return self.process.returncode

    def kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def said(self) -> str:
        return self.log.read_text("utf-8", "replace")


def remove_data(folder: Path) -> None:
    """Remove a folder with the data of a server that was killed:
    its children end a moment after it, and write until then.
    """
    deadline = time.monotonic() + 20
    while True:
        try:
            return shutil.rmtree(folder)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class Gunicorn(Process):
    """``gunicorn wsgi:app`` as the unit starts it."""

    def __init__(
        self,
        data_dir: Path,
        base_url: str = "",
        workers: int = 2,
        port: int | None = None,
        **settings: str,
    ):
        self.port, self.data_dir = port or free_port(), data_dir
        data_dir.mkdir(parents=True, exist_ok=True)
        self.address = f"http://127.0.0.1:{self.port}"
        ours = {
            "SVC_DATA_DIR": str(data_dir),
            "SVC_BASE_URL": base_url or self.address,
            "SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8",
        }
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "--config",
            "python:svc.serving.gunicorn_config",
            "--bind",
            f"127.0.0.1:{self.port}",
            "--workers",
            str(workers),
            "wsgi:app",
        ]
        super().__init__(command, data_dir.parent / "gunicorn.log", ours | settings)

    def start(self) -> None:
        self.launch()
        self.wait_until(lambda: answers(self.port))

    def workers(self) -> list[int]:
        """The process ids of its workers: the children that have its command line."""
        listed = subprocess.run(
            ["pgrep", "--parent", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        return [int(each) for each in listed]


class Front(Process):
    """A proxy with TLS in front of a gunicorn that need not run yet; a context manager."""

    def __init__(self, folder: Path, program: str, kind: str, bind: str, data_dir: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.https_port, self.http_port, self.authority = (
            free_port(),
            free_port(),
            Authority(folder),
        )
        self.authority.context(HOST)
        pair = folder / f"{HOST}1.pem"
        self.site = folder / "site"
        printed = subprocess.run(
            [
                sys.executable,
                "app.py",
                "deploy",
                kind,
                "--host",
                HOST,
                "--bind",
                bind,
                "--data-dir",
                str(data_dir),
                "--certificate",
                str(pair),
                "--key",
                str(pair),
                "--http-port",
                str(self.http_port),
                "--https-port",
                str(self.https_port),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        self.site.write_text(printed.stdout)
        self.address = f"https://{HOST}:{self.https_port}"
        self.session = requests.Session()
        self.session.trust_env, self.session.verify = False, str(self.authority.file)
        super().__init__(
            self._prepare(folder, program), folder / "front.log", {"HOME": str(folder)}
        )

    def _prepare(self, folder: Path, program: str) -> list[str]:
        raise NotImplementedError

    def __enter__(self):
        self.launch()
        try:
            self.wait_until(self._answers)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.session.close()
        self.end(10)

    def _answers(self) -> bool:
        try:
            self.session.get(f"{self.address}/openapi.json", timeout=60)
            return True
        except requests.ConnectionError:
            return False

    def get(self, path: str, **more) -> requests.Response:
        return self.session.get(self.address + path, timeout=60, **more)


class Nginx(Front):
    """nginx with the site that ``deploy nginx`` prints, in the frame that
    Debian's nginx.conf is.
    """

    def __init__(self, folder: Path, bind: str, data_dir: Path):
        super().__init__(folder, "nginx", "nginx", bind, data_dir)

    def _prepare(self, folder: Path, program: str) -> list[str]:
        names = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        self.site.write_text(self.site.read_text().replace("/var/log/nginx/", f"{folder}/"))
        (folder / "nginx.conf").write_text(
            _NGINX.format(
                folder=folder,
                site=self.site,
                user="user www-data;" if os.geteuid() == 0 else "",
                temporary="\n    ".join(f"{each}_temp_path {folder}/{each};" for each in names),
            )
        )
        return [program, "-e", str(folder / "nginx.log"), "-c", str(folder / "nginx.conf")]


class Caddy(Front):
    """Caddy with the file that ``deploy caddy`` prints, after switches that keep it from ports and
    places of the machine.
    """

    def __init__(self, folder: Path, bind: str, data_dir: Path):
        super().__init__(folder, "caddy", "caddy", bind, data_dir)

    def _prepare(self, folder: Path, program: str) -> list[str]:
        switches = (
            f"\tadmin off\n\thttp_port {self.http_port}\n\tstorage file_system {folder}\n"
            "\tskip_install_trust\n"
        )
        self.site.write_text(self.site.read_text().replace("\n{\n", "\n{\n" + switches, 1))
        return [program, "run", "--adapter", "caddyfile", "--config", str(self.site)]


def use_group(gunicorn: Gunicorn) -> None:
    """As the unit has it: the service's files belong to a group that the proxy is in.

    Only root can arrange that.
    """
    if os.geteuid() == 0:
        gunicorn.more |= {"group": "www-data", "umask": 0o077}
        gunicorn.data_dir.chmod(0o710)
        os.chown(gunicorn.data_dir, -1, _www_data())


def _www_data() -> int:
    return int(
        subprocess.run(["id", "-g", "www-data"], capture_output=True, text=True, check=True).stdout
    )


@contextmanager
def running(gunicorn: Gunicorn) -> Iterator[Gunicorn]:
    """A gunicorn that serves, and is told to end in good order at the end."""
    try:
        gunicorn.start()
        yield gunicorn
    finally:
        gunicorn.end()
