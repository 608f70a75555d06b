"""``python app.py deploy nginx|caddy|systemd|docker|compose|kubernetes|prometheus``:
print a deployment file.
"""

import os
import re
import sys
from pathlib import Path

import click

from svc.base import limits, secret_addresses, settings
from svc.base.errors import SettingsError
from svc.base.processes import entry_points
from svc.base.settings import LONGEST_DRAIN, REQUESTS_SECONDS, Settings, name_variable
from svc.base.version import VERSION

NAME = "partner-production"
MEDIA = "/_media/"  # the proxy's internal path of the media directory
FILES = {
    "nginx": "nginx.conf",
    "caddy": "Caddyfile",
    "systemd": "service.unit",
    "docker": "Dockerfile",
    "compose": "compose.yaml",
    "kubernetes": "kubernetes.yaml",
    "prometheus": "alerts.yaml",
}
_RELEASE_SECONDS = 15  # for what has not ended by then to be given back
_UNLISTED_SECONDS = 5  # until no proxy of Kubernetes sends anything more to a pod that ends
_ON_POSTGRES = "compose-postgres.yaml"
_TEMPLATES = Path(__file__).parents[2] / "deploy"
_PROGRAM = Path(__file__).parents[3]
_HOST = r"[\w-]+(\.[\w-]+)*|\[[0-9a-fA-F:.]+\]"
_ADDRESS = rf"({_HOST})?:[1-9]\d{{0,4}}|unix:/[\w./-]+"
_SOCKET = "unix:"
_PATH = r"[\w.:/-]*"  # signs that mean nothing else in any file
_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - as gunicorn has it where no host is named
_LAST_PORT = 65_535
_PATHS = "a path of letters, digits and ., :, / and -"
_HOMES = ("/home", "/root", "/run/user")  # what ProtectHome= hides


@click.command()
@click.argument("kind", type=click.Choice(tuple(FILES)))
@click.option(
    "--postgres",
    is_flag=True,
    help="Of compose: with PostgreSQL, a store, two servers and two workers.",
)
@click.option(
    "--host",
    default="media.example.com",
    show_default=True,
    help="The host name that partners use.",
)
@click.option(
    "--bind",
    default="127.0.0.1:8080",
    show_default=True,
    help="The address that gunicorn listens on.",
)
@click.option(
    "--workers", default=2, show_default=True, type=click.IntRange(1, 32), help="Serving processes."
)
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path),
    default=Path("/var/lib") / NAME,
    show_default=True,
    help="SVC_DATA_DIR: the data directory of the service.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    help="The certificate with its chain; Caddy can get its own.",
)
@click.option("--key", type=click.Path(path_type=Path), help="The private key of the certificate.")
@click.option(
    "--drain-seconds",
    envvar=name_variable("drain_seconds"),
    default=Settings.drain_seconds,
    show_default=True,
    type=click.IntRange(0, LONGEST_DRAIN),
    help="SVC_DRAIN_SECONDS, from which follows how long a stop may take.",
)
@click.option(
    "--http-port",
    default=80,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The proxy's, from which it leads to https.",
)
@click.option(
    "--https-port",
    default=443,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The proxy's, with TLS.",
)
def deploy(kind: str, host: str, bind: str, postgres: bool, **options) -> None:
    """Print a deployment file; its first lines say where to install it."""
    for option, value, pattern, example in (
        ("--host", host, _HOST, "a host such as media.example.com"),
        ("--bind", bind, _ADDRESS, "an address such as 127.0.0.1:8080"),
        *(
            (
                f"--{name.replace('_', '-')}",
                str(options[name].absolute()) if options[name] else "",
                _PATH,
                _PATHS,
            )
            for name in ("data_dir", "certificate", "key")
        ),
    ):
        if not re.fullmatch(pattern, value, re.ASCII):
            raise click.BadParameter(f"{value!r} is not {example}", param_hint=option)
    _require_listenable(host, bind)
    if bool(options["certificate"]) != bool(options["key"]):
        raise click.UsageError("--certificate and --key must be given together")
    if postgres and kind != "compose":
        raise click.UsageError("--postgres is for compose")
    click.echo(
        fill_template(
            _ON_POSTGRES if postgres else FILES[kind], make_template_words(host, bind, **options)
        ),
        nl=False,
    )


def _require_listenable(host: str, bind: str) -> None:
    """Require a host and an address to listen at that the service accepts. BadParameter: it does
    not.
    """
    try:
        settings.read({name_variable("base_url"): f"https://{host}"})
    except SettingsError as wrong:
        raise click.BadParameter(
            f"{host[:80]!r} is not a host such as media.example.com", param_hint="--host"
        ) from wrong
    port = bind.rpartition(":")[2]
    if port.isdecimal() and int(port) > _LAST_PORT:
        raise click.BadParameter(f"{bind!r} has no port up to {_LAST_PORT}", param_hint="--bind")


def fill_template(name: str, values: dict[str, str]) -> str:
    """Return the template ``name`` with each ``@WORD@`` replaced.

    KeyError: the template contains an unknown word.
    """
    template = (_TEMPLATES / name).read_text("utf-8")
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], template)


def make_template_words(
    host: str,
    bind: str,
    *,
    workers,
    data_dir: Path,
    certificate,
    key,
    drain_seconds: int,
    http_port,
    https_port,
) -> dict[str, str]:
    """Return the values of the words in the templates."""
    port = "" if https_port == 443 else f":{https_port}"
    data = data_dir.absolute()
    certificate, key = certificate and certificate.absolute(), key and key.absolute()
    is_state = data.parent == Path("/var/lib")
    folder, command = _make_command(bind, workers)
    stop_seconds = drain_seconds + REQUESTS_SECONDS + _RELEASE_SECONDS
    return {
        "NAME": NAME,
        "VERSION": VERSION,
        "DRAIN_SECONDS": str(drain_seconds),
        "STOP_SECONDS": str(stop_seconds),
        "POD_STOP_SECONDS": str(stop_seconds + _UNLISTED_SECONDS),
        "UNLISTED_SECONDS": str(_UNLISTED_SECONDS),
        "HOST": host,
        **_list_upstreams(bind),
        "WORKERS": str(workers),
        "FORM_MIB": str(limits.to_mib(limits.FORM_WITH_A_CLIP)),
        "DATA": str(data),
        "MEDIA": MEDIA,
        "PREFIX": MEDIA.rstrip("/"),
        "PORT": port,
        "HTTP_PORT": str(http_port),
        "HTTPS_PORT": str(https_port),
        "BASE_URL": f"https://{host}{port}",
        "ADDRESS": f"https://{host}{port}",
        "FOLDER": str(folder),
        "COMMAND": command,
        "CERTIFICATE": str(certificate or f"/etc/letsencrypt/live/{host}/fullchain.pem"),
        "KEY": str(key or f"/etc/letsencrypt/live/{host}/privkey.pem"),
        "TLS": f"tls {certificate} {key}"
        if certificate
        else "# tls CERTIFICATE KEY: without it Caddy fetches its own",
        "PROTECT_HOME": "read-only"
        if any(word.startswith(_HOMES) for word in (*command.replace('"', "").split(), str(data)))
        else "yes",
        "STATE": f"StateDirectory={data.name}" if is_state else f"ReadWritePaths={data}",
        "SECRET_PATHS": "|".join(secret_addresses.IN_PATH),
        "SECRET_QUERIES": "|".join(secret_addresses.IN_QUERY),
        "SECRET": secret_addresses.REPLACEMENT,
        "SECRET_PATTERN": secret_addresses.PATTERN,
        "SECRET_INGRESS": "".join(
            _find_ingress_path(path)
            for path in (*secret_addresses.IN_PATH, *secret_addresses.IN_QUERY)
        ),
    }


def _list_upstreams(bind: str) -> dict[str, str]:
    """Return the address of the service as each proxy writes it: nginx needs a host,
    and Caddy has a form of its own for sockets.
    """
    return {
        "NGINX_UPSTREAM": f"127.0.0.1{bind}" if bind.startswith(":") else bind,
        "CADDY_UPSTREAM": re.sub(f"^{_SOCKET}", "unix/", bind),
    }


def _find_ingress_path(path: str) -> str:
    service = f"{{name: {NAME}, port: {{name: http}}}}"
    return (
        f"\n          - {{path: {path.rstrip('/')}, pathType: Prefix, backend: {{service: "
        f"{service}}}}}"
    )


def _make_command(bind: str, workers: int) -> tuple[Path, str]:
    """Return the working directory and the command of the unit: gunicorn from the source,
    or this bundle.
    """
    # that of the virtual environment, not what it links to
    python = _quote(os.path.abspath(sys.executable))  # noqa: PTH100
    if (_PROGRAM / "requirements.txt").exists():
        config = entry_points.GUNICORN_CONFIG
        return (
            _PROGRAM,
            f"{python} -m gunicorn --config {config} --bind {bind} --workers {workers} wsgi:app",
        )
    if bind.startswith(_SOCKET):
        raise click.BadParameter(
            "A bundle listens at a host and a port, not at a socket", param_hint="--bind"
        )
    host, _, port = bind.rpartition(":")
    return (
        Path("/"),
        (
            f"{python} {_quote(str(Path(sys.argv[0]).absolute()))} serve --host "
            f"{host or _EVERY_ADDRESS} --port {port} --workers {workers}"
        ),
    )


def _quote(path: str) -> str:
    """Return a path as a word of a unit's command."""
    return f'"{path}"' if " " in path else path
