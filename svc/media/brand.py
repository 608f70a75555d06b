"""The brand kit of an account: what its videos show besides their look, its colours and its logo."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BrandKit:
    """Everything is off by default."""

    font: str = ""  # a font file in the production's folder, for headings and text; empty: the look's families


NO_KIT = BrandKit()
