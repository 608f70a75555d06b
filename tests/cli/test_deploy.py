"""The files that ``python app.py deploy`` prints: the paths and hosts that were given
are in them.
"""

import re
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from click.testing import CliRunner

from svc.base import limits, settings
from svc.base.version import VERSION
from svc.cli import commands
from svc.cli.installation import deploy
from svc.domain.monitoring import gauges
from svc.serving import gunicorn_config
from tests.test_layers import MADE_BY_RUNNING

ROOT = Path(__file__).parents[2]


def printed(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(commands.main, ["deploy", *words])
    assert done.exit_code == status, done.output
    return done.output


@pytest.mark.parametrize("kind", deploy.FILES)
def test_every_word_is_filled_in_and_the_first_line_says_what_to_do_with_it(kind):
    text = printed(kind)
    assert re.findall(r"@[A-Z_]+@", text) == []
    assert text.startswith("# ") and text.endswith("\n")


@pytest.mark.parametrize("kind", deploy.FILES)
def test_every_setting_that_a_file_names_exists(kind):
    named = set(re.findall(r"SVC_[A-Z_]+", printed(kind)))
    assert named <= {
        settings.name_variable(each) for each in settings.Settings.__dataclass_fields__
    }


def test_options_go_where_they_belong():
    given = ["--host", "a.example", "--bind", "127.0.0.1:9000", "--data-dir", "/srv/x"]
    given += ["--certificate", "/c.pem", "--key", "/k.pem"]
    nginx, caddy, unit = (printed(kind, *given) for kind in ("nginx", "caddy", "systemd"))
    for each in ("server_name a.example;", "server 127.0.0.1:9000;", "alias /srv/x/media/;"):
        assert each in nginx
    for each in ("ssl_certificate /c.pem;", "ssl_certificate_key /k.pem;"):
        assert each in nginx
    for each in (
        "https://a.example {",
        "reverse_proxy 127.0.0.1:9000 {",
        "root * /srv/x/media",
        "tls /c.pem /k.pem",
    ):
        assert each in caddy
    for each in ("SVC_DATA_DIR=/srv/x", "SVC_BASE_URL=https://a.example", "ReadWritePaths=/srv/x"):
        assert each in unit
    assert (
        f"WorkingDirectory={ROOT}\n" in unit
        and f"ExecStart={deploy._quote(sys.executable)} -m gunicorn " in unit
    )


def test_a_data_directory_of_the_systems_is_made_by_the_system():
    assert "StateDirectory=partner-production\n" in printed("systemd")


def test_the_place_of_the_media_is_one_that_the_setting_takes():
    assert settings.read({"SVC_MEDIA_REDIRECT": deploy.MEDIA}).media_redirect == deploy.MEDIA
    assert f"SVC_MEDIA_REDIRECT={deploy.MEDIA}\n" in printed("systemd")
    assert f"location {deploy.MEDIA} {{" in printed("nginx")


@pytest.mark.parametrize(
    "host",
    [
        *("a.example; return 200", "a b", "a\nb", "$host", "{env.HOME}"),
        *("", "https://a.example", "a.example/films", "a.example:8443", "a..example", "é.example"),
    ],
)
def test_what_would_be_more_than_a_name_is_refused(host):
    assert "is not a host such as" in printed("nginx", "--host", host, status=2)


@pytest.mark.parametrize(
    "path", ["/srv/my data", "/srv/x;y", "/srv/$x", "/srv/%h", '/srv/"x', "/a\nb"]
)
@pytest.mark.parametrize("option", ["--data-dir", "--certificate", "--key"])
def test_a_path_that_a_file_would_take_for_something_else_is_refused(option, path):
    # systemd ends a variable at a blank: the service would have begun in /srv/my
    for kind in ("nginx", "caddy", "systemd"):
        assert "is not a path of letters" in printed(kind, option, path, status=2)


def test_a_program_in_a_path_with_a_blank_is_one_word_of_the_unit(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/my films/.venv/bin/python")
    assert 'ExecStart="/opt/my films/.venv/bin/python" -m gunicorn ' in printed("systemd")


def test_data_below_a_home_is_not_hidden_from_the_service():
    assert "ProtectHome=read-only\n" in printed("systemd", "--data-dir", "/home/films/data")


def test_paths_are_those_of_the_folder_in_which_they_were_typed(monkeypatch):
    monkeypatch.chdir("/usr")
    unit = printed("nginx", "--certificate", "c.pem", "--key", "k.pem", "--data-dir", "d")
    for name in ("c.pem;", "k.pem;", "d/media/;"):
        assert f"/usr/{name}" in unit


@pytest.mark.parametrize(
    "bind", ["", "8080", "localhost", "127.0.0.1:", "a:0", "http://a:1", "a b:1"]
)
def test_an_address_at_which_nothing_listens_is_refused(bind):
    assert "is not an address such as" in printed("systemd", "--bind", bind, status=2)


@pytest.mark.parametrize("bind", ["127.0.0.1:65536", ":99999"])
def test_a_port_that_there_is_not_is_refused(bind):
    assert "has no port up to 65535" in printed("nginx", "--bind", bind, status=2)


@pytest.mark.parametrize("host", ["300.0.0.1", "-a.example", f"{'a' * 64}.example"])
def test_a_host_that_the_service_would_refuse_is_refused(host):
    assert "is not a host such as" in printed("nginx", "--host", host, status=2)


def test_the_images_of_kubernetes_are_fetched_from_where_they_are_pushed():
    [applied] = re.findall(r"sed '(s\|.*\|)'", text := printed("kubernetes"))
    done = subprocess.run(["sed", applied], input=text, capture_output=True, text=True, check=True)
    [pushed] = re.findall(r"docker push (\S+)", text)
    images = re.findall(r"^ +image: (.*)", done.stdout, re.MULTILINE)
    assert set(images) == {pushed} and len(images) == 4


@pytest.mark.parametrize(
    ("bind", "of_nginx", "of_caddy"),
    [
        ("127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080"),
        ("[::1]:8080", "[::1]:8080", "[::1]:8080"),
        (":8080", "127.0.0.1:8080", ":8080"),
        ("unix:/run/x.sock", "unix:/run/x.sock", "unix//run/x.sock"),
    ],
)
def test_an_address_is_written_as_gunicorn_and_each_proxy_take_it(bind, of_nginx, of_caddy):
    assert f"--bind {bind} " in printed("systemd", "--bind", bind)
    assert f"    server {of_nginx};" in printed("nginx", "--bind", bind)
    assert f"reverse_proxy {of_caddy} {{" in printed("caddy", "--bind", bind)


def test_the_unit_of_a_bundle_listens_at_a_host_that_serve_takes(monkeypatch, tmp_path):
    monkeypatch.setattr(deploy, "_PROGRAM", tmp_path)
    for bind, host in ((":8080", "0.0.0.0"), ("[::1]:8080", "[::1]")):
        assert f" serve --host {host} --port 8080 " in printed("systemd", "--bind", bind)
    assert "not at a socket" in printed("systemd", "--bind", "unix:/run/x.sock", status=2)


def test_a_certificate_without_its_key_is_refused():
    printed("nginx", "--certificate", "/c.pem", status=2)


def test_serve_and_gunicorn_are_set_up_by_the_same_settings():
    assert all(
        getattr(gunicorn_config, name) == value for name, value in gunicorn_config.SETTINGS.items()
    )
    assert "--config python:svc.serving.gunicorn_config" in printed("systemd")
    assert '"--config", "python:svc.serving.gunicorn_config"' in printed("docker")


def test_the_container_has_everything_that_the_program_is_made_of():
    copied = re.findall(r"^COPY (.+) \S+$", printed("docker"), re.MULTILINE)
    there = {each.name for each in ROOT.iterdir() if not each.name.startswith(".")}
    not_of_it = {
        "tests",
        *(f"requirements-{what}.{kind}" for what in ("test", "agents") for kind in ("txt", "lock")),
    }
    assert there - MADE_BY_RUNNING - not_of_it == {name for line in copied for name in line.split()}


def test_the_container_has_compiled_modules_and_the_programs_of_postgres_that_backups_call():
    """Before it is the service's user, who may write neither."""
    made_by_root, _, _ = printed("docker").partition("\nUSER 10001\n")
    assert re.search(r"^RUN apt-get update .* postgresql-client ", made_by_root, re.MULTILINE)
    _, copied, then = made_by_root.partition("\nCOPY svc svc\n")
    assert copied and "\nRUN python -m compileall -q app.py wsgi.py svc\n" in then
    # pg_dump must be of the server's release or newer, and Debian 12 has that of 15
    image = re.search(r"^ARG PYTHON_IMAGE=python:.*-(\w+)$", made_by_root, re.MULTILINE)
    services = yaml.safe_load(printed("compose", "--postgres"))["services"]
    assert services["database"]["image"] == f"${{POSTGRES_IMAGE:-postgres:15-{image[1]}}}"


def test_the_compose_file_is_one():
    services = yaml.safe_load(printed("compose", "--host", "a.example"))["services"]
    assert services["service"]["environment"]["SVC_BASE_URL"] == "https://a.example"


def test_the_digest_of_each_image_can_be_named():
    """The files bring no digest of their own: an image that is never renewed lacks the security
    updates of its tag.
    """
    dockerfile = printed("docker")
    assert "ARG PYTHON_IMAGE=python:3.11-slim-bookworm\nFROM ${PYTHON_IMAGE}\n" in dockerfile
    services = yaml.safe_load(printed("compose"))["services"]
    assert services["service"]["build"]["args"] == {
        "PYTHON_IMAGE": "${PYTHON_IMAGE:-python:3.11-slim-bookworm}"
    }
    assert services["proxy"]["image"] == "${CADDY_IMAGE:-caddy:2}"


def test_the_compose_file_of_several_machines_has_a_database_a_store_two_servers_and_two_workers():
    made = yaml.safe_load(printed("compose", "--postgres", "--host", "a.example"))
    services = made["services"]
    assert {
        "database",
        "store",
        "bucket",
        "server-1",
        "server-2",
        "worker",
        "proxy",
    } == services.keys()
    assert services["worker"]["deploy"]["replicas"] == 2
    for name in ("server-1", "server-2", "worker"):
        given = {
            key: re.sub(r"\$\{\w+:\?\}", "x", value)
            for key, value in services[name]["environment"].items()
        }
        read = settings.read({key: value for key, value in given.items() if key.startswith("SVC_")})
        assert (
            read.database_url
            and read.storage_url == "s3://media/files"
            and read.render_workers == 0
        )
        assert services[name]["read_only"] and services[name]["cap_drop"] == ["ALL"]
    mounted = {each.split(":")[0] for each in services["server-2"]["volumes"]}
    assert mounted <= made["volumes"].keys()
    assert "reverse_proxy servers:8080 {" in printed("caddy", "--bind", "servers:8080")
    printed("nginx", "--postgres", status=2)


@pytest.mark.parametrize("words", [("compose",), ("compose", "--postgres"), ("kubernetes",)])
def test_no_password_stands_in_a_file(words):
    text = printed(*words)
    assert re.findall(r"(?:PASSWORD|SECRET_ACCESS_KEY|TOKEN)[\"']?: +(?!\$\{)\S+", text) == []


def manifests() -> dict[tuple[str, str], dict]:
    made = list(yaml.safe_load_all(printed("kubernetes", "--host", "a.example")))
    return {(each["kind"], each["metadata"]["name"]): each for each in made}


def test_each_manifest_is_one_that_kubernetes_takes():
    for (kind, name), manifest in manifests().items():
        kubernetes_validate.validate(manifest, "1.31", strict=True)
        assert re.fullmatch(r"[a-z0-9-]+", name), kind


def test_a_manifest_that_kubernetes_does_not_take_is_found():
    broken = manifests()["Deployment", f"{deploy.NAME}-worker"]
    broken["spec"]["template"]["spec"]["containers"][0]["resource"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.31", strict=True)


def test_the_manifests_scale_workers_by_a_metric_that_exists_and_name_only_what_is_there():
    made = manifests()
    scaler = made["HorizontalPodAutoscaler", f"{deploy.NAME}-worker"]["spec"]
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == (2, 8)
    assert (scaler["scaleTargetRef"]["kind"], scaler["scaleTargetRef"]["name"]) in made
    metric = scaler["metrics"][0]["external"]["metric"]["name"]
    text = printed("kubernetes")
    assert f"name: {{as: {metric}}}" in text and "seriesQuery: svc_productions" in text
    assert "productions" in {each.name for each in gauges.list_gauges()}
    for part in ("server", "worker"):
        pod = made["Deployment", f"{deploy.NAME}-{part}"]["spec"]["template"]["spec"]
        volumes = {each["name"] for each in pod["volumes"]}
        for container in (*pod["initContainers"], *pod["containers"]):
            assert {each["name"] for each in container["volumeMounts"]} <= volumes
            assert (
                container["securityContext"]["readOnlyRootFilesystem"]
                and container["resources"]["limits"]
            )
        assert pod["securityContext"]["runAsUser"] == 10001 and "--uid 10001" in printed("docker")
    assert made["Service", deploy.NAME]["spec"]["selector"] == {
        "app": deploy.NAME,
        "part": "server",
    }


@pytest.mark.parametrize("part", ["server", "worker"])
def test_a_release_replaces_pods_that_others_stand_in_for(part):
    """Another image makes the update, each new pod is there before an old one ends, and a drained
    node takes one at a time.
    """
    made = manifests()
    deployment = made["Deployment", f"{deploy.NAME}-{part}"]["spec"]
    [container] = deployment["template"]["spec"]["containers"]
    assert container["image"] == f"{deploy.NAME}:{VERSION}"
    assert f"docker push REGISTRY/{deploy.NAME}:{VERSION} " in printed("kubernetes")
    assert deployment["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    budget = made["PodDisruptionBudget", f"{deploy.NAME}-{part}"]["spec"]
    assert budget["selector"] == deployment["selector"]
    probes = [each for name, each in container.items() if name.endswith("Probe")]
    assert [each for each in probes if each["timeoutSeconds"] < 5] == []
    # a pod of which nothing is asked counts only when it has lived for a while
    assert len(probes) == 3 or deployment["minReadySeconds"] >= 30


def test_whoever_stops_the_service_waits_until_its_steps_have_drained():
    given = ["--drain-seconds", "600"]
    unit = printed("systemd", *given)
    assert "Environment=SVC_DRAIN_SECONDS=600\n" in unit and "TimeoutStopSec=645\n" in unit
    assert printed("systemd").count("TimeoutStopSec=45\n") == 1
    for words in (("compose",), ("compose", "--postgres")):
        text = printed(*words, *given)
        assert 'SVC_DRAIN_SECONDS: "600"' in text and "stop_grace_period: 645s" in text
    made = [each for each in yaml.safe_load_all(printed("kubernetes", *given)) if each]
    pods = [each["spec"]["template"]["spec"] for each in made if each["kind"] == "Deployment"]
    assert [pod["terminationGracePeriodSeconds"] for pod in pods] == [650, 645]
    drain = {"name": "SVC_DRAIN_SECONDS", "value": "600"}
    assert all(drain in pod["containers"][0]["env"] for pod in pods)
    printed("systemd", "--drain-seconds", "3601", status=2)


def test_what_stops_the_service_follows_from_the_setting(monkeypatch):
    monkeypatch.setenv("SVC_DRAIN_SECONDS", "60")
    assert "TimeoutStopSec=105\n" in printed("systemd")


def test_each_proxy_takes_a_body_as_large_as_a_form_uploads():
    [size] = re.findall(r"client_max_body_size (\d+m);", printed("nginx"))
    assert int(size[:-1]) << 20 >= limits.FORM_WITH_A_CLIP
    assert f"max_size {size[:-1]}MiB" in printed("caddy")
    ingresses = [each for (kind, _), each in manifests().items() if kind == "Ingress"]
    name = "nginx.ingress.kubernetes.io/proxy-body-size"
    assert [each["metadata"]["annotations"][name] for each in ingresses] == [size, size]
