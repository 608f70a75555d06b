"""The stores of finished files: a directory and a bucket do the same,
and a bucket says what is wrong with it.
"""

import contextlib
import hashlib
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from svc.adapters import storage
from svc.adapters.files import bucket as bucket_files
from svc.adapters.files.bucket import Bucket
from svc.adapters.files.directory import Directory
from svc.base import settings
from svc.base.errors import FileStoreUnavailable, SettingsError
from tests.store.buckets import CREDENTIALS, serving
from tests.support import serving as servers
from tests.support.receivers import dripping, receiving

LONG = os.urandom(1 << 20) * 12  # more than fits in one request


@pytest.fixture(scope="module")
def bucket():
    with serving("media") as environment:
        yield environment


@pytest.fixture
def url(bucket, monkeypatch, tmp_path) -> str:
    for name, value in bucket.items():
        monkeypatch.setenv(name, value)
    return f"s3://media/{tmp_path.name}"


@pytest.fixture(params=["directory", pytest.param("bucket", marks=pytest.mark.slow)])
def files(request, tmp_path):
    return (
        Bucket(request.getfixturevalue("url"))
        if request.param == "bucket"
        else Directory(tmp_path / "media")
    )


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "captions.vtt"
    file.write_bytes(b"0123456789")
    return file


def test_a_file_is_stored_with_its_size_and_hash_and_read_in_ranges(files, source):
    stored = files.put(source, "production/captions.vtt")
    assert (stored.size_bytes, stored.sha256) == (10, hashlib.sha256(b"0123456789").hexdigest())
    assert (files.find_file_size(stored.file), files.has(stored.file)) == (10, True)
    assert files.read(stored.file) == b"0123456789" == b"".join(files.stream(stored.file))
    assert [files.read(stored.file, *part) for part in ((2, 3), (8, 9), (10, 5), (99,))] == [
        b"234",
        b"89",
        b"",
        b"",
    ]


def test_a_file_with_a_fixed_name_is_replaced_as_a_whole(files, source):
    files.put(source, "production/findings.json", fixed=True)
    source.write_bytes(b"")
    assert (
        files.put(source, "production/findings.json", fixed=True).file == "production/findings.json"
    )
    assert files.read("production/findings.json") == b""


def test_a_folder_is_listed_and_removed_and_its_neighbour_stays(files, source):
    names = {files.put(source, f"{folder}/captions.vtt").file for folder in ("one", "one-more")}
    assert {*files.list_names("one"), *files.list_names("one-more")} == names and len(
        list(files.list_names("one"))
    ) == 1
    files.delete_folder("one")
    files.delete_folder("one")
    assert (list(files.list_names("one")), len(list(files.list_names("one-more")))) == ([], 1)


def test_a_missing_file_is_told_from_a_failing_store(files):
    assert (files.find_file_size("nothing"), files.has("nothing"), files.find_problem()) == (
        None,
        False,
        None,
    )
    for ask in (lambda: files.read("nothing"), lambda: list(files.stream("nothing"))):
        with pytest.raises(FileNotFoundError):
            ask()


def test_what_a_hostile_step_leaves_in_place_of_a_file_is_refused(files, source, tmp_path):
    (tmp_path / "link").symlink_to(source)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "absent"):
        with pytest.raises((OSError, ValueError)):
            files.put(tmp_path / name, "production/file")
    assert list(files.list_names("production")) == []


@pytest.mark.slow
def test_an_upload_that_is_interrupted_leaves_no_file_and_one_that_is_repeated_does(url, tmp_path):
    kept, source, calls = Bucket(url), tmp_path / "landscape.mp4", []
    source.write_bytes(LONG)

    def alive():
        calls.append(1)
        if len(calls) == 20:  # in the middle of the second reading, which is the upload
            raise RuntimeError("the claim is lost")

    with pytest.raises(RuntimeError, match="the claim is lost"):
        kept.put(source, "production/landscape.mp4", alive=alive)
    assert list(kept.list_names("production")) == []
    stored = kept.put(source, "production/landscape.mp4", alive=alive)
    assert (
        list(kept.list_names("production")) == [stored.file]
        and b"".join(kept.stream(stored.file)) == LONG
    )


@pytest.mark.slow
def test_a_file_that_changes_while_it_is_sent_is_not_stored(url, tmp_path):
    kept, source, calls = Bucket(url), tmp_path / "landscape.mp4", []
    source.write_bytes(LONG)

    def alive():
        calls.append(1)
        if len(calls) == 14:
            with source.open("r+b") as file:
                file.seek(5 << 20)
                file.write(b"other content")

    with pytest.raises(ValueError, match="changing"):
        kept.put(source, "production/landscape.mp4", alive=alive)
    assert list(kept.list_names("production")) == []


@pytest.mark.slow
def test_other_content_gets_another_name_so_that_a_late_writer_changes_nothing(url, source):
    kept = Bucket(url)
    first = kept.put(source, "production/captions.vtt")
    source.write_bytes(b"another")
    second = kept.put(source, "production/captions.vtt")
    assert first.file != second.file and kept.read(first.file) == b"0123456789"
    assert first.file == f"production/{first.sha256[:16]}/captions.vtt"


@pytest.mark.slow
def test_a_presigned_address_answers_ranges_with_the_type_and_name_of_the_file(url, source):
    kept = Bucket(url)
    stored = kept.put(source, "production/captions.vtt", sent_as="Über-Gezeiten.vtt")
    address = kept.presign(stored.file, 1234)
    assert parse_qs(urlsplit(address).query)["X-Amz-Expires"] == ["1234"] and address.startswith(
        kept.get_origin() + "/"
    )
    part = requests.get(address, headers={"Range": "bytes=2-4"}, timeout=60)
    assert (part.status_code, part.content, part.headers["Content-Range"]) == (
        206,
        b"234",
        "bytes 2-4/10",
    )
    assert part.headers["Content-Type"] == "text/vtt; charset=utf-8"
    assert part.headers["Content-Disposition"] == (
        "attachment; filename=\"_ber-Gezeiten.vtt\"; filename*=UTF-8''%C3%9Cber-Gezeiten.vtt"
    )
    assert requests.get(address, headers={"Range": "bytes=99-"}, timeout=60).status_code == 416


@pytest.mark.slow
def test_a_bucket_that_does_not_exist_is_told_from_a_missing_file(url, source):
    kept = Bucket("s3://no-such-bucket/prefix")
    assert kept.find_problem().startswith(
        "s3://no-such-bucket/prefix does not answer as it should: "
    )
    for ask in (
        lambda: kept.find_file_size("x"),
        lambda: kept.read("x"),
        lambda: list(kept.stream("x")),
        lambda: kept.put(source, "x"),
    ):
        with pytest.raises(FileStoreUnavailable):
            ask()


@contextlib.contextmanager
def answering(status: int, body: bytes):
    """The address of a server that answers everything in this way."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        with servers.serving(server):
            yield f"http://127.0.0.1:{server.server_port}"


@pytest.mark.slow
@pytest.mark.parametrize("status", [403, 500])
def test_a_bucket_that_fails_or_refuses_is_unavailable_and_its_words_repeat_no_credential(
    status, source, monkeypatch
):
    document = (
        b"<?xml version='1.0'?><Error><Code>Refused</Code>"
        b"<AWSAccessKeyId>a-secret-id</AWSAccessKeyId></Error>"
    )
    with answering(status, document) as address:
        for name, value in (
            CREDENTIALS | {"AWS_ENDPOINT_URL": address, "AWS_SECRET_ACCESS_KEY": "a-secret-key"}
        ).items():
            monkeypatch.setenv(name, value)
        kept = Bucket("s3://media/prefix")
        texts = [kept.find_problem()]
        for ask in (
            lambda: kept.put(source, "x"),
            lambda: kept.find_file_size("x"),
            lambda: kept.delete_folder("x"),
        ):
            with pytest.raises(FileStoreUnavailable) as failed:
                ask()
            texts.append(str(failed.value))
    assert all(
        text and text.startswith("s3://media/prefix") and "secret" not in text for text in texts
    )


def test_a_store_of_azure_signs_addresses_with_its_account(monkeypatch):
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "c2VjcmV0")
    address = Bucket("az://container/prefix").presign("production/x.mp4", 60)
    assert address.startswith(
        "https://account.blob.core.windows.net/container/prefix/production/x.mp4?"
    )


def test_a_store_of_google_signs_addresses_with_its_service_account(monkeypatch, tmp_path):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = {
        "private_key": pem,
        "private_key_id": "1",
        "client_email": "a@b.example",
        "gcs_base_url": "https://x.example",
    }
    (tmp_path / "account.json").write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(tmp_path / "account.json"))
    address = Bucket("gs://bucket/prefix").presign("production/x.mp4", 60)
    assert urlsplit(address).path == "/bucket/prefix/production/x.mp4"
    assert parse_qs(urlsplit(address).query)["X-Goog-Expires"] == ["60"]


def test_an_address_whose_credentials_cannot_be_used_is_refused_with_a_sentence(monkeypatch):
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(
        SettingsError, match="SVC_STORAGE_URL is 'az://container', which cannot be used"
    ):
        Bucket("az://container")


def test_without_the_setting_the_files_are_in_the_data_directory(tmp_path):
    assert str(storage.open_store(settings.read({}, data_dir=tmp_path))) == str(tmp_path / "media")


@pytest.mark.parametrize(
    "before",
    [b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"],
    ids=["headers", "body"],
)
def test_a_bucket_that_drips_is_unavailable_at_the_end_of_the_request(monkeypatch, before, source):
    """The library's timeout is one for the whole request, its answer's body included."""
    for name, seconds in (
        ("_REQUEST_SECONDS", "0.2s"),
        ("_PROBE_SECONDS", "0.2s"),
        ("_RETRIES", 0),
    ):
        monkeypatch.setattr(bucket_files, name, seconds)
    monkeypatch.setattr(bucket_files, "_RETRY_SECONDS", 0.1)
    with receiving(dripping(before, b"x")) as receiver:
        for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": receiver.url("")}.items():
            monkeypatch.setenv(name, value)
        dripping_bucket = Bucket("s3://media/films")
        for ask in (
            lambda: list(dripping_bucket.stream("one")),
            lambda: list(dripping_bucket.list_names("one")),
            lambda: dripping_bucket.put(source, "one"),
        ):
            with pytest.raises(FileStoreUnavailable):
                ask()
