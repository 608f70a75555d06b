"""What the process of the script's step leaves for the review is not trusted."""

import json

import pytest

from svc.work.step_process import written_script

SCENE = {
    "scene": 1,
    "heading": "",
    "narration": "The sea.",
    "points": ["a"],
    "key_phrase": "",
    "picture": "",
    "visual": {"kind": "", "text": "", "columns": [], "rows": [["a", "b"]]},
}


def leave(folder, scenes, script="{}"):
    (folder / "scenes.json").write_text(json.dumps(scenes), "utf-8")
    (folder / "script.json").write_text(script, "utf-8")


def test_the_scenes_and_the_whole_are_read(tmp_path):
    leave(tmp_path, [SCENE, SCENE | {"scene": 2}])
    found = written_script.read_script(tmp_path)
    assert found.scenes[1]["scene"] == 2 and found.whole == "{}"


@pytest.mark.parametrize(
    "scenes",
    [
        {},
        [[]],
        [SCENE | {"scene": 2}],
        [SCENE | {"scene": True}],
        [SCENE | {"narration": None}],
        [SCENE | {"points": [1]}],
        [SCENE | {"more": 1}],
        [SCENE | {"visual": {}}],
        [SCENE | {"visual": SCENE["visual"] | {"rows": "ab"}}],
        [{name: value for name, value in SCENE.items() if name != "picture"}],
        [SCENE | {"visual": SCENE["visual"] | {"kind": 1}}],
    ],
)
def test_anything_else_is_refused(tmp_path, scenes):
    leave(tmp_path, scenes)
    with pytest.raises(ValueError, match=r"scenes\.json"):
        written_script.read_script(tmp_path)


def test_a_file_that_is_too_large_or_a_link_is_not_read(tmp_path):
    leave(tmp_path, [SCENE], "x" * (5 << 20))
    with pytest.raises(ValueError, match=r"script\.json"):
        written_script.read_script(tmp_path)
    (tmp_path / "script.json").unlink()
    (tmp_path / "script.json").symlink_to("/etc/passwd")
    with pytest.raises(OSError):
        written_script.read_script(tmp_path)
