"""``python systemd.py FOLDER VERB …``: as much of systemd as docs/operations.md asks for, on the
machine in FOLDER.

The unit is started as it stands, with its own environment and nothing of ours, and has to say that
it is ready.
"""

import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

READY_SECONDS = 60
UNITS = "etc/systemd/system"
GROUP = "www-data"  # the unit's group, which the proxy is in: no user is made on this machine


def main(folder: Path, verb: str, *names: str) -> None:
    if (verb, *names) == ("start", "nginx"):
        subprocess.run([folder / "bin" / "nginx"], check=True)
    elif (verb, *names) == ("reload", "nginx"):
        os.kill(int((folder / "nginx.pid").read_text()), signal.SIGHUP)
    elif (verb, *names[:1]) == ("enable", "--now"):
        start(folder, (folder / UNITS / f"{names[1]}.service").read_text())
    elif (verb, *names) != ("daemon-reload",):
        raise SystemExit(
            f"docs/operations.md asks systemctl for something new: {verb} {' '.join(names)}"
        )


def start(folder: Path, unit: str) -> None:
    lines = [
        line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#")
    ]
    says = dict(lines)
    data_dir = Path(says["ReadWritePaths"])
    data_dir.mkdir(mode=int(says["StateDirectoryMode"], 8))
    who = {}
    if os.geteuid() == 0:
        who = {"group": GROUP}
        os.chown(data_dir, -1, _group())
    environment = dict(value.split("=", 1) for name, value in lines if name == "Environment")
    environment |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "NOTIFY_SOCKET": str(folder / "notify")}
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hearing,
        (folder / "service.log").open("ab") as log,
    ):
        hearing.bind(environment["NOTIFY_SOCKET"])
        hearing.settimeout(READY_SECONDS)
        started = subprocess.Popen(
            shlex.split(says["ExecStart"]),
            cwd=says["WorkingDirectory"],
            env=environment,
            umask=int(says["UMask"], 8),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **who,
        )
        (folder / "service.pid").write_text(str(started.pid))
        while not hearing.recv(4096).startswith(b"READY=1"):
            pass


def _group() -> int:
    return int(
        subprocess.run(["id", "-g", GROUP], capture_output=True, text=True, check=True).stdout
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
