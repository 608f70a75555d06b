"""The brand kit of an account: what its videos show besides their look,
its colours and its logo.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class BrandKit:
    """Everything is off by default."""

    # The font file in the production's folder for headings and text; empty: the look's families.
    font: str = ""
    # The music file in the production's folder under the speech; empty: the bed of the brief's
    # mood.
    track: str = ""
    track_licence: str = ""  # what the track is used under
    intro: str = ""  # a clip in the production's folder, before the title; empty: none
    intro_licence: str = ""  # what the clip is used under
    outro: str = ""  # a clip there, after the close; empty: none
    outro_licence: str = ""
    logo_style: str = "mark"  # the logo as it is, or a quiet, translucent "watermark"
    lower_third: bool = False  # the presenter's name and role are shown large for some seconds

    def without_clips(self) -> "BrandKit":
        """Return the kit without intro and outro."""
        return replace(self, intro="", intro_licence="", outro="", outro_licence="")


NO_KIT = BrandKit()
