"""The file of master keys: rotated while others read it, and never half written."""

import pytest

from svc.base.crypto import key_ring, signing
from svc.base.crypto.key_ring import FileRing
from svc.base.errors import SettingsError
from tests.support.processes import at_once

SUBJECT = "deliverable"


@pytest.fixture
def ring(tmp_path):
    return made_in(tmp_path)


def made_in(folder) -> FileRing:
    key_ring.make(folder / "secret")
    return FileRing(folder / "secret")


def test_the_secret_is_made_once_and_only_its_owner_may_read_it(ring, tmp_path):
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert made_in(tmp_path).derive("a purpose") == ring.derive("a purpose")
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]


def test_first_keys_that_are_made_at_the_same_time_agree_on_one(tmp_path):
    imports = "from pathlib import Path; from svc.base.crypto.key_ring import FileRing, make"
    expression = "make(Path(sys.argv[1])) or FileRing(Path(sys.argv[1])).derive('a purpose').hex()"
    derived = at_once(6, imports, expression, tmp_path / "secret")
    assert len(derived[0]) == 64
    assert len(set(derived)) == 1


@pytest.mark.parametrize("text", ["", "1:abcd\n"])
def test_a_secret_that_is_no_key_is_refused(tmp_path, text):
    (tmp_path / "secret").write_text(text)
    with pytest.raises(SettingsError, match="restore it from your backup"):
        FileRing(tmp_path / "secret")


def test_a_secret_of_several_versions_signs_with_the_newest(tmp_path):
    (tmp_path / "secret").write_text(f"1:{'11' * 32}\n2:{'22' * 32}\n")
    ring = FileRing(tmp_path / "secret")
    assert ring.derive("a purpose") == ring.derive("a purpose", 2) != ring.derive("a purpose", 1)


def test_a_rotation_holds_at_once_for_a_ring_that_was_read_before(ring, tmp_path):
    assert ring.newest == 1
    assert key_ring.rotate(tmp_path / "secret") == 2
    assert (ring.newest, ring.versions) == (2, [2, 1])
    assert ring.derive("a purpose") == FileRing(tmp_path / "secret").derive("a purpose", 2)


def test_after_a_rotation_the_older_secrets_are_what_they_were(ring, tmp_path):
    before = signing.derive_webhook_secret(ring, "a subscription", 1)
    key_ring.rotate(tmp_path / "secret")
    assert (
        signing.derive_webhook_secret(ring, "a subscription", 1)
        == before
        != signing.derive_webhook_secret(ring, "a subscription", 2)
    )


def test_links_signed_before_a_rotation_still_hold_and_new_ones_are_signed_by_the_new_key(
    ring, tmp_path
):
    before = signing.make_link_signature(ring, SUBJECT, 99)
    key_ring.rotate(tmp_path / "secret")
    after = signing.make_link_signature(ring, SUBJECT, 99)
    assert before != after
    assert signing.link_is_ours(ring, SUBJECT, 99, before) and signing.link_is_ours(
        ring, SUBJECT, 99, after
    )
    assert not signing.link_is_ours(ring, "another", 99, before)


def test_a_rotated_file_is_its_owners_alone_and_nothing_else_is_left(ring, tmp_path):
    key_ring.rotate(tmp_path / "secret")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["secret", "secret.lock"]


def test_rotations_at_the_same_time_take_turns(ring, tmp_path):
    imports = "from pathlib import Path; from svc.base.crypto import key_ring"
    made = at_once(4, imports, "key_ring.rotate(Path(sys.argv[1]))", tmp_path / "secret")
    assert sorted(made) == ["2", "3", "4", "5"]
    assert sorted(key_ring.read(tmp_path / "secret")) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("spoiled", ["", "1:abcd\n", "no key at all", None])
def test_a_file_that_is_spoiled_leaves_a_running_process_its_keys_and_a_new_one_none(
    ring, tmp_path, spoiled
):
    known = ring.derive("a purpose")
    (tmp_path / "secret").unlink()
    if spoiled is not None:
        (tmp_path / "secret").write_text(spoiled)
        with pytest.raises(SettingsError, match="restore it from your backup"):
            FileRing(tmp_path / "secret")
    assert (ring.derive("a purpose"), ring.newest) == (known, 1)


def test_a_rotation_that_cannot_be_written_changes_nothing(ring, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(key_ring.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        key_ring.rotate(tmp_path / "secret")
    assert sorted(key_ring.read(tmp_path / "secret")) == [1]
