"""How gunicorn is set up: for ``python app.py serve``, and for ``gunicorn --config python:svc.cli.serving wsgi:app``."""

from svc.cli import supervisor

worker_class = "svc.cli.worker.Worker"
logger_class = "svc.cli.gunicorn_logs.Logger"
threads = 8
timeout = 120
graceful_timeout = 30
keepalive = 65
proc_name = "partner-production-api"
loglevel = "warning"
control_socket_disable = True  # nothing of ours uses it, and two services would share one in the home directory

# systemd hears that the service is ready when it answers, not when gunicorn begins to start its workers.
on_starting = supervisor.take_over
post_worker_init = supervisor.ready
on_exit = supervisor.stopping

SETTINGS = {
    name: globals()[name]
    for name in (
        "worker_class", "logger_class", "threads", "timeout", "graceful_timeout", "keepalive", "proc_name", "loglevel",
        "control_socket_disable", "on_starting", "post_worker_init", "on_exit",
    )
}  # fmt: skip
