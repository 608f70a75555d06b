"""The packages of the clients that a server serves: whole, described, always the same,
installable by pip and npm.
"""

import csv
import hashlib
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from support.cast import refused

from svc.public import client_packages, documents
from tests.support.documents import ALL, ROOT, read
from tests.support.own_server import served
from tests.support.patience import PATIENCE

SDK = ROOT / "sdk"
BASE = "https://media.example.com"
PROJECT = tomllib.loads((SDK / "python" / "pyproject.toml").read_text("utf-8"))["project"]
ABOUT = json.loads((SDK / "typescript" / "package.json").read_text("utf-8"))
FIELDS = (
    "Name",
    "Version",
    "Summary",
    "Requires-Python",
    "License-Expression",
    "Description-Content-Type",
)
NAMES = {
    "python": f"partner_production-{PROJECT['version']}-py3-none-any.whl",
    "typescript": f"partner-production-{ABOUT['version']}.tgz",
}


def made(name: str) -> bytes:
    return client_packages.build_package(name, BASE, documents.read_text).content


@pytest.mark.parametrize("name", NAMES)
def test_a_package_is_served_whole_and_is_not_sent_again_while_it_is_the_same(app, name):
    answer = app.test_client().get(f"/sdk/{name}/{NAMES[name]}")
    assert (answer.status_code, answer.content_type) == (200, "application/octet-stream")
    again = app.test_client().get(
        f"/sdk/{name}/{NAMES[name]}", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert (again.status_code, again.get_data()) == (304, b"")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_sources_become_the_same_bytes(name):
    first = made(name)
    client_packages.build_package.cache_clear()
    assert made(name) == first


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("python/partner_production-0.9.0-py3-none-any.whl", NAMES["python"]),
        ("typescript/partner-production-0.9.0.tgz", NAMES["typescript"]),
        ("python/pyproject.toml", NAMES["python"]),
        (f"typescript/{NAMES['python']}", NAMES["typescript"]),
    ],
)
def test_a_version_that_is_not_there_is_404_and_names_the_one_that_is(app, path, named):
    refusal = refused(app.test_client().get(f"/sdk/{path}"), 404, "NOT_FOUND")
    assert refusal["message"].endswith(f"/{named}.")


@pytest.mark.parametrize("path", ["rust/partner.crate", "..%2fLICENSE/x", "python/"])
def test_nothing_else_of_the_sources_is_served(app, path):
    refused(app.test_client().get(f"/sdk/{path}"), 404, "NOT_FOUND")


def test_a_program_without_the_sources_serves_neither_and_names_neither(app, monkeypatch, tmp_path):
    monkeypatch.setattr(client_packages, "ROOT", tmp_path)
    client_packages.build_package.cache_clear()
    refused(app.test_client().get(f"/sdk/python/{NAMES['python']}"), 404, "NOT_FOUND")
    assert "## Clients" not in app.test_client().get("/llms.txt").text


def test_the_wheel_lists_each_of_its_files_with_its_hash():
    with zipfile.ZipFile(io.BytesIO(made("python"))) as wheel:
        files = {each: wheel.read(each) for each in wheel.namelist()}
    modules = {
        path.relative_to(SDK / "python" / "src").as_posix()
        for path in (SDK / "python" / "src").rglob("*.py")
    }
    folder = f"partner_production-{PROJECT['version']}.dist-info"
    described = {f"{folder}/{each}" for each in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    assert set(files) == modules | described | {"partner_production/py.typed"}
    [record] = [each for each in files if each.endswith("RECORD")]
    listed = {
        path: (digest, size)
        for path, digest, size in csv.reader(files[record].decode().splitlines())
    }
    assert listed.pop(record) == ("", "")
    assert listed == {
        path: (hashed(text), str(len(text))) for path, text in files.items() if path != record
    }


def hashed(content: bytes) -> str:
    return "sha256=" + urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def test_the_wheel_says_what_it_is_and_needs_with_licence_and_links(tmp_path):
    zipfile.ZipFile(io.BytesIO(made("python"))).extractall(tmp_path)
    [installed] = importlib.metadata.distributions(path=[str(tmp_path)])
    about = installed.metadata
    assert (about["Name"], about["Version"]) == ("partner-production", PROJECT["version"])
    assert (about["License-Expression"], about["License-File"]) == ("Apache-2.0", "LICENSE")
    assert about["Requires-Python"] == PROJECT["requires-python"]
    assert installed.requires == PROJECT["dependencies"]
    assert dict(each.split(", ") for each in about.get_all("Project-URL")) == {
        "Documentation": f"{BASE}/sdk/python/README.md",
        "Changelog": f"{BASE}/sdk/CHANGELOG.md",
        "API": f"{BASE}/docs",
    }
    description = about.get_payload()
    assert description.startswith("# partner-production\n") and "<!--" not in description
    [licence] = tmp_path.rglob("licenses/LICENSE")
    assert "Apache License" in licence.read_text() and "GPL" not in licence.read_text()


def test_the_tarball_has_what_npm_pack_would_pack_and_licence_and_changelog():
    with tarfile.open(fileobj=io.BytesIO(made("typescript"))) as packed:
        files = {each.name: packed.extractfile(each).read() for each in packed.getmembers()}
        assert {(each.mode, each.uid, each.type) for each in packed.getmembers()} == {
            (0o644, 0, tarfile.REGTYPE)
        }
    folders = [each for each in ABOUT["files"] if (SDK / "typescript" / each).is_dir()]
    sources = {
        f"package/{path.relative_to(SDK / 'typescript').as_posix()}"
        for folder in folders
        for path in (SDK / "typescript" / folder).rglob("*.*")
    }
    described = {
        f"package/{each}" for each in ("package.json", "README.md", "CHANGELOG.md", "LICENSE")
    }
    assert set(files) == sources | described
    about = json.loads(files["package/package.json"])
    assert about == ABOUT | {"homepage": f"{BASE}/sdk/typescript/README.md"}
    exported = json.dumps(about["exports"])
    assert {
        f"package/{each[2:]}" for each in re.findall(r"\./(?:src|types)/[\w./]+", exported)
    } <= set(files)


def test_both_have_the_version_at_the_top_of_their_changelog():
    [newest, *earlier] = re.findall(r"^## (\d+\.\d+\.\d+)", read("sdk/CHANGELOG.md"), re.MULTILINE)
    assert newest == PROJECT["version"] == ABOUT["version"]
    assert [tuple(map(int, each.split("."))) for each in earlier] == sorted(
        (tuple(map(int, each.split("."))) for each in earlier), reverse=True
    )
    assert tuple(map(int, newest.split("."))) > tuple(map(int, earlier[0].split(".")))


def test_what_was_released_under_a_version_is_never_changed():
    """A client whose sources change needs a new version, as pip and npm install none again
    that they have.
    """
    released = dict(
        line.split()
        for line in (SDK / "releases.txt").read_text("utf-8").splitlines()
        if line[0] != "#"
    )
    digest = hashlib.sha256()
    for folder in ("python/src", "typescript/src", "typescript/types"):
        for path in sorted((SDK / folder).rglob("*.*")):
            if path.suffix in (".py", ".js", ".ts"):
                digest.update(f"{path.relative_to(SDK).as_posix()}\0".encode() + path.read_bytes())
    own = digest.hexdigest()
    version = PROJECT["version"]
    assert released.get(version, own) == own, (
        f"give both clients a new version (sdk/CHANGELOG.md); {own} is no {version}"
    )
    assert own not in released.values() or released.get(version) == own


@pytest.mark.parametrize("name", NAMES)
def test_documents_name_the_packages_that_are_served(app, name):
    base = app.extensions["svc"].settings.base_url
    address = f"{base}/sdk/{name}/{NAMES[name]}"
    overview = app.test_client().get("/llms.txt").text
    assert f"({address}): `{'pip' if name == 'python' else 'npm'} install {address}`" in overview
    for document in ("README.md", "docs/quickstart.md", "docs/api.md", f"sdk/{name}/README.md"):
        assert f" install $BASE/sdk/{name}/{NAMES[name]}\n" in read(document), document


@pytest.mark.parametrize("document", ALL)
def test_no_document_installs_a_folder_or_another_version(document):
    text = read(document)
    assert not re.search(r"(?:npm|pip) install (?:-\S+ )*\.?\.?/", text)
    named = set(re.findall(r"/sdk/\w+/(partner[_-]production-\d[\w.-]+\.(?:whl|tgz))", text))
    assert named <= set(NAMES.values())


@pytest.mark.slow
def test_pip_installs_the_client_from_a_server(app, tmp_path):
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--isolated",
        "install",
        "--no-index",
        "--no-deps",
        "--quiet",
        "--no-cache-dir",
    ]
    with served(app) as port:
        wheel = f"http://127.0.0.1:{port}/sdk/python/{NAMES['python']}"
        subprocess.run(
            [*pip, "--target", str(tmp_path / "site"), wheel], check=True, timeout=PATIENCE
        )
    program = "import partner_production as p; print(p.__file__, p.Client, p.__version__)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert run.stdout.startswith(str(tmp_path)) and run.stdout.strip().endswith(PROJECT["version"])


@pytest.mark.slow
def test_npm_installs_the_client_from_a_server(app, tmp_path):
    (tmp_path / "package.json").write_text('{"name": "agency", "type": "module", "private": true}')
    npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    quiet = os.environ | {
        "npm_config_cache": str(tmp_path / "cache"),
        "npm_config_registry": "http://127.0.0.1:9",
    }
    with served(app) as port:
        tarball = f"http://127.0.0.1:{port}/sdk/typescript/{NAMES['typescript']}"
        subprocess.run([*npm, tarball], cwd=tmp_path, env=quiet, check=True, timeout=PATIENCE)
    folder = tmp_path / "node_modules" / "partner-production"
    assert not folder.is_symlink() and (folder / "LICENSE").is_file()
    program = (
        'import { Client, VERSION } from "partner-production"; console.log(VERSION, typeof Client);'
    )
    run = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert run.stdout.split() == [ABOUT["version"], "function"]


@pytest.mark.slow
def test_the_wheel_is_that_of_the_build_backend_besides_its_links(tmp_path):
    """flit_core, which builds the folder, describes it alike:
    what pip reads does not depend on the way.
    """
    command = [
        sys.executable,
        "-m",
        "pip",
        "--isolated",
        "wheel",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
    ]
    subprocess.run(
        [*command, "--wheel-dir", str(tmp_path), str(SDK / "python")], check=True, timeout=PATIENCE
    )
    [built] = Path(tmp_path).glob("*.whl")
    assert built.name == NAMES["python"]
    theirs, ours = zipfile.ZipFile(built), zipfile.ZipFile(io.BytesIO(made("python")))
    licence = f"partner_production-{PROJECT['version']}.dist-info/licenses/LICENSE"
    assert set(ours.namelist()) == set(theirs.namelist()) | {licence}
    for field in FIELDS:
        assert described(theirs, field) == described(ours, field)
    assert sorted(described(theirs, "Requires-Dist")) == sorted(described(ours, "Requires-Dist"))


def described(wheel: zipfile.ZipFile, field: str) -> list[str]:
    [path] = [each for each in wheel.namelist() if each.endswith("/METADATA")]
    head = wheel.read(path).decode().partition("\n\n")[0]
    return [value.replace(" ", "") for value in re.findall(rf"^{field}: (.+)$", head, re.MULTILINE)]
