"""What a step left in its folder is removed, whatever it is."""

import os

from svc.work import work_folder


def test_folders_that_are_nested_too_deep_for_python_are_removed(tmp_path):
    folder = tmp_path / "production"
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=descriptor)
        deeper = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = deeper
    os.close(descriptor)
    work_folder.remove_folder(folder)
    assert not folder.exists()


def test_a_folder_that_is_not_there_is_no_error(tmp_path):
    work_folder.remove_folder(tmp_path / "nothing")
