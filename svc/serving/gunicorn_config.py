"""The configuration of gunicorn, for ``python app.py serve`` and for a gunicorn that is started
directly.

``gunicorn --config python:svc.serving.gunicorn_config wsgi:app``
"""

from contextlib import suppress

from svc.base import settings, temporary
from svc.base.data_dir import find_data_dir
from svc.base.processes import entry_points, owner
from svc.serving import arbiter, first_start, options, supervisor

worker_class = entry_points.GUNICORN_WORKER
logger_class = entry_points.GUNICORN_LOGGER
threads = 8
timeout = 120
# The seconds until a worker that is told to end is killed; requests and running steps may end
# before.
graceful_timeout = settings.REQUESTS_SECONDS + settings.read_drain_seconds()
keepalive = 65
proc_name = "partner-production-api"
loglevel = "warning"
# No headers that set SCRIPT_NAME or PATH_INFO: our proxies send none, so such headers come from
# clients and are dropped.
forwarder_headers = ""
control_socket_disable = True  # unused, and two services would share one in the home directory

# If a root shell starts gunicorn, the workers run as the owner of the data directory, not as root.
_data_dir = find_data_dir().absolute()
with suppress(OSError):  # the start says what is wrong with the data directory
    temporary.ensure_folder(_data_dir)  # gunicorn itself makes a temporary file for each worker
_owner = owner.find_owner_to_become(_data_dir)
if _owner:
    user, group = _owner.uid, _owner.gid  # of the files that gunicorn creates for them


def post_fork(_gunicorn, _worker) -> None:
    """Become the owner of the data directory before the application is loaded."""
    owner.become_owner(_data_dir)


def on_starting(gunicorn) -> None:
    """Refuse options that break the service; take over gunicorn's messages to systemd, so that
    "ready" is sent when a worker answers, and its arbiter. Where it cannot start, that is noted."""
    first_start.note_failure(gunicorn, find_data_dir().absolute())
    options.check_options(gunicorn.cfg)
    supervisor.take_over_messages(gunicorn)
    arbiter.replace_arbiter(gunicorn)


post_worker_init = supervisor.report_ready
on_exit = supervisor.report_stopping

SETTINGS = {
    name: globals()[name]
    for name in (
        "worker_class",
        "logger_class",
        "threads",
        "timeout",
        "graceful_timeout",
        "keepalive",
        "proc_name",
        "loglevel",
        "forwarder_headers",
        "control_socket_disable",
        "on_starting",
        "post_worker_init",
        "on_exit",
    )
}
