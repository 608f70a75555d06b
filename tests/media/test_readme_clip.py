"""The clip that opens the README."""

from pathlib import Path

import av
import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "svc" / "public" / "static" / "pictures"


def test_the_readme_opens_with_a_picture_and_twenty_seconds_of_the_demo():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert (
        readme.index("pictures/demo.png)")
        < readme.index("pictures/demo.mp4)")
        < readme.index("```")
    )
    with av.open(str(PICTURES / "demo.mp4")) as clip, Image.open(PICTURES / "demo.png") as picture:
        assert 19.5 <= clip.duration / av.time_base <= 20.5
        frames = clip.streams.video[0]
        shown = picture.convert("L").resize((frames.width // 4, frames.height // 4))
        sound = np.concatenate([frame.to_ndarray().ravel() for frame in clip.decode(audio=0)])
        clip.seek(0)
        small = (
            frame.to_image().convert("L").resize(shown.size)
            for frame in clip.decode(video=0)
            if frame.key_frame
        )
        nearest = min(
            float(np.abs(np.asarray(each, int) - np.asarray(shown, int)).mean()) for each in small
        )
    assert np.abs(sound).max() > 0.05 and nearest < 6
