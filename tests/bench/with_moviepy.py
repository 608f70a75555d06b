"""The peer's side of tests/bench/media.py, run in an environment of its own: ``with_moviepy.py PLAN.json OUT.mp4``.

Written as somebody who knows moviepy would: every picture is drawn beforehand, all is composed and encoded in one pass.
"""

import json
import sys
from pathlib import Path

from moviepy import AudioFileClip, CompositeVideoClip, ImageClip, vfx


def main(plan_file: str, out: str) -> None:
    plan = json.loads(Path(plan_file).read_text())
    clips = []
    for each in plan["clips"]:
        clip = ImageClip(each["file"]).with_start(each["start"]).with_duration(each["end"] - each["start"])
        if each["fade"]:
            clip = clip.with_effects([vfx.CrossFadeIn(each["fade"])])
        clips.append(clip.with_position((each["left"], each["top"])))
    whole = CompositeVideoClip(clips, size=tuple(plan["size"])).with_duration(plan["duration"])
    whole.with_audio(AudioFileClip(plan["sound"])).write_videofile(
        out, fps=plan["rate"], codec="libx264", audio_codec="aac", preset="ultrafast", threads=2, logger=None,
        ffmpeg_params=["-crf", "26", "-pix_fmt", "yuv420p", "-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709"],
    )  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
