"""The brand kit of an account: what its videos show besides their look, its colours and its logo."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BrandKit:
    """Everything is off by default."""

    font: str = ""  # a font file in the production's folder, for headings and text; empty: the look's families
    track: str = ""  # a music file in the production's folder, under the speech; empty: the bed of the brief's mood
    track_licence: str = ""  # what the track is used under
    logo_style: str = "mark"  # the logo as it is, or a quiet, translucent "watermark"
    lower_third: bool = False  # the presenter's name and role are shown large for some seconds


NO_KIT = BrandKit()
