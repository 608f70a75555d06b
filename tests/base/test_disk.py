"""What kind of disk a directory is on, by what Linux says of its mounts;
and what cannot be written.
"""

import os
import resource
from pathlib import Path

import pytest

from svc.base import disk
from svc.base.errors import StartRefused

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 27 0:40 / /srv rw,relatime shared:2 - nfs4 server:/export rw,vers=4.2
31 30 8:2 / /srv/local rw,relatime - xfs /dev/sdb1 rw
32 27 0:41 / /with\\040space rw - fuse.sshfs user@host: rw
33 27 0:42 / /frozen ro,relatime - ext4 /dev/sdc1 ro
34 27 0:43 / /twice rw - ext4 /dev/sdd1 rw
35 34 0:44 / /twice rw - cifs //server/share rw
36 27 0:45 / /fuse rw - fuse.mergerfs a:b rw
37 27 0:46 / /srvother rw - tmpfs tmpfs rw
38 27 0:47 / /virtio rw - virtiofs host rw
39 27 0:48 / /desktop rw - fakeowner /run/host_mark/Users rw
40 27 0:49 / /lustre rw - lustre 10.0.0.1@tcp:/fs rw
41 27 0:50 / /weed rw - fuse.seaweedfs SeaweedFS:10.0.0.1:8888/ rw
42 27 0:51 / /weed2 rw - fuse SeaweedFS:10.0.0.1:8888/ rw
43 27 0:52 / /moose rw - fuse.mfs mfsmaster:9421 rw
44 27 0:53 / /moose2 rw - fuse mfs#mfsmaster:9421 rw
45 27 0:54 / /ntfs rw - fuseblk /dev/sda2 rw
46 27 0:55 / /local2 rw - fuse merged rw
"""


@pytest.fixture
def mounts(tmp_path) -> Path:
    path = tmp_path / "mountinfo"
    path.write_text(MOUNTS)
    return path


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/var/lib/service", "ext4", False),
        ("/srv", "nfs4", True),
        ("/srv/data", "nfs4", True),
        ("/srv/local/data", "xfs", False),
        ("/srvother/data", "tmpfs", False),
        ("/with space/data", "fuse.sshfs", True),
        ("/twice/data", "cifs", True),
        ("/fuse/data", "fuse.mergerfs", False),
        ("/nothing/there/yet", "ext4", False),
        ("/virtio", "virtiofs", True),
        ("/desktop/data", "fakeowner", True),
        ("/lustre", "lustre", True),
        ("/weed", "fuse.seaweedfs", True),
        ("/weed2", "fuse", True),
        ("/moose", "fuse.mfs", True),
        ("/moose2", "fuse", True),
        ("/ntfs", "fuseblk", False),
        ("/local2", "fuse", False),
    ],
)
def test_a_directory_is_on_the_nearest_mount_above_it(mounts, path, kind, network):
    found = disk.find_disk(Path(path), mounts)
    assert (found.kind, found.is_network) == (kind, network)


def test_a_link_is_followed_to_the_disk_it_leads_to(tmp_path, mounts):
    far = tmp_path / "fär away"
    # as the kernel writes it (proc_pid_mountinfo(5))
    escaped = str(far).replace("\\", "\\134").replace(" ", "\\040")
    mounts.write_text(
        mounts.read_text() + f"40 27 0:50 / {escaped} rw - nfs server:/x rw\n", "utf-8"
    )
    far.mkdir()
    (tmp_path / "near").symlink_to(far)
    assert disk.find_disk(tmp_path / "near" / "data", mounts).kind == "nfs"


def test_where_the_machine_does_not_say_nothing_is_claimed(tmp_path):
    found = disk.find_disk(tmp_path, tmp_path / "nothing")
    assert (found.kind, found.is_network) == ("unknown", False)


def test_a_network_disk_is_refused_with_what_to_do(mounts):
    with pytest.raises(
        StartRefused, match=r"on a network disk \(nfs4, mounted at /srv\).*Set SVC_DATA_DIR"
    ):
        disk.require_usable(Path("/srv/data"), mounts)


@pytest.mark.parametrize(
    "place", ["virtio", "desktop", "lustre", "weed", "weed2", "moose", "moose2"]
)
def test_each_of_them_is_refused_with_its_name(mounts, place):
    with pytest.raises(
        StartRefused,
        match=rf"on a network disk \((virtiofs|fakeowner|lustre|fuse\S*), mounted at /{place}\)",
    ):
        disk.require_usable(Path(f"/{place}/data"), mounts)


def test_this_machine_is_usable_and_its_disk_has_a_name(tmp_path):
    disk.require_usable(tmp_path / "data")
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert disk.find_disk(tmp_path).kind != "unknown" or not disk.MOUNTS.exists()
    assert disk.measure_fsync(tmp_path) > 0
    assert list((tmp_path / "data").iterdir()) == []


def test_a_directory_that_cannot_be_made_is_refused_with_what_to_do(tmp_path, mounts):
    (tmp_path / "file").touch()
    with pytest.raises(StartRefused, match=r"cannot be written: (Not a directory|File exists)"):
        disk.require_usable(tmp_path / "file", mounts)


def test_a_denied_write_names_the_command(tmp_path, monkeypatch):
    def denied(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(disk.tempfile, "TemporaryFile", denied)
    assert disk.check_writable(tmp_path).endswith(f"chown -R {os.geteuid()} {tmp_path}")


@pytest.mark.parametrize(
    ("soft", "hard", "becomes"),
    [
        (1024, 4096, 4096),
        (1024, 1 << 20, 65536),
        (70000, 1 << 20, None),
        (1024, resource.RLIM_INFINITY, 65536),
    ],
)
def test_a_process_may_open_what_the_machine_allows(monkeypatch, soft, hard, becomes):
    told = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: told.append(limits))
    disk.allow_open_files()
    assert told == ([] if becomes is None else [(becomes, hard)])
