"""The peer's side of tests/bench/media.py, in an environment of its own:
``with_moviepy.py composed|baked PLAN.json OUT.mp4``.

Written as somebody who knows moviepy would: every picture is drawn beforehand. ``composed``: scenes
and captions are put together frame by frame; ``baked``: finished pictures are shown one after the
other. Both are encoded in one pass.
"""

import json
import sys
from pathlib import Path

from moviepy import AudioFileClip, CompositeVideoClip, ImageClip, ImageSequenceClip, vfx


def composed(plan: dict):
    clips = []
    for each in plan["clips"]:
        clip = (
            ImageClip(each["file"])
            .with_start(each["start"])
            .with_duration(each["end"] - each["start"])
        )
        if each["fade"]:
            clip = clip.with_effects([vfx.CrossFadeIn(each["fade"])])
        clips.append(clip.with_position((each["left"], each["top"])))
    return CompositeVideoClip(clips, size=tuple(plan["size"]))


def baked(plan: dict):
    return ImageSequenceClip(plan["files"], durations=plan["durations"], with_mask=False)


def main(kind: str, plan_file: str, out: str) -> None:
    plan = json.loads(Path(plan_file).read_text())
    whole = {"composed": composed, "baked": baked}[kind](plan).with_duration(plan["duration"])
    whole.with_audio(AudioFileClip(plan["sound"])).write_videofile(
        out,
        fps=plan["rate"],
        codec="libx264",
        audio_codec="aac",
        preset="ultrafast",
        threads=2,
        logger=None,
        temp_audiofile_path=str(Path(out).parent),
        ffmpeg_params=[
            "-crf",
            "26",
            "-pix_fmt",
            "yuv420p",
            "-vf",
            "scale=out_color_matrix=bt709",
            "-colorspace",
            "bt709",
        ],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
