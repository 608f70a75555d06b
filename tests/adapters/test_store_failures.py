"""What a bucket's library could not do for want of resources is told from other failures."""

import errno
import os
import resource

import obstore
import pytest
from obstore.exceptions import BaseError
from obstore.store import S3Store

from svc.adapters import store_failures
from svc.base import outage
from svc.base.errors import FileStoreUnavailable


@pytest.fixture
def out_of_files():
    """A function that takes all descriptors that this process may still open."""
    before, taken = resource.getrlimit(resource.RLIMIT_NOFILE), []

    def take() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
            while True:
                taken.append(os.dup(0))

    yield take
    for each in taken:
        os.close(each)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def open_store() -> S3Store:
    """Return a bucket at an address where nobody listens."""
    return S3Store(
        "bucket",
        endpoint="http://127.0.0.1:9",
        access_key_id="key",
        secret_access_key="secret",
        region="x",
        client_options={"allow_http": True},
        retry_config={"max_retries": 0},
    )


def fail_to_put(store: S3Store) -> FileStoreUnavailable:
    with pytest.raises(BaseError) as failed:
        obstore.put(store, "name", b"content")
    return FileStoreUnavailable(*store_failures.describe("s3://bucket", failed.value))


def test_a_process_that_can_open_no_more_files_does_not_blame_the_bucket(out_of_files):
    silent, store = fail_to_put(open_store()), open_store()
    assert outage.recognise(silent) is outage.FILE_STORE_UNAVAILABLE
    assert str(silent).startswith("s3://bucket: ")
    out_of_files()
    assert outage.recognise(fail_to_put(store)) is outage.TOO_MANY_FILES


def test_the_document_of_a_store_is_not_shown():
    failure = BaseError("Client error 403: <Error><AWSAccessKeyId>key</AWSAccessKeyId></Error>")
    assert store_failures.describe("s3://bucket", failure) == ("s3://bucket: Client error 403:",)
