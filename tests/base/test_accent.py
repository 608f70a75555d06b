"""The accent colour of an installation: every one that is accepted is legible on every page,
light and dark.
"""

import random
import re
from pathlib import Path

import pytest

from svc.base.text import accent
from svc.base.text.colours import WHITE, Colour, compute_contrast

CSS = (Path(__file__).parents[2] / "svc" / "public" / "static" / "console.css").read_text("utf-8")


def parsed(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def test_the_grounds_are_those_of_the_style_sheet():
    light, dark = re.findall(r":root \{(.*?)\n\s*\}", CSS, re.S)[:2]
    for sheet, known in ((light, accent.LIGHT), (dark, accent.DARK)):
        grounds = re.findall(r"--(?:ground|raised|sunken|[a-z]+-ground): (#[0-9a-f]{6});", sheet)
        assert len(grounds) == 8 and set(grounds) == set(known)


def accepted() -> list[str]:
    source, found = random.Random(5), ["#000000", "#2456b8", "#8a1c4a", "#005f56", "#7a3e00"]
    while len(found) < 200:
        colour = f"#{source.randrange(2**24):06x}"
        try:
            found.append(accent.parse_accent(colour))
        except ValueError:
            continue
    return found


def test_every_colour_that_is_accepted_is_legible_light_and_dark():
    for colour in accepted():
        sheet = accent.write_style_sheet(colour)
        light, dark = (
            dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part)) for part in sheet.split("@media")
        )
        for shades, grounds in ((light, accent.LIGHT), (dark, accent.DARK)):
            for name in ("accent", "accent-strong"):
                assert (
                    min(compute_contrast(parsed(shades[name]), parsed(each)) for each in grounds)
                    >= 4.5
                ), (colour, name)
                assert compute_contrast(parsed(shades["on-accent"]), parsed(shades[name])) >= 4.5, (
                    colour,
                    name,
                )
            assert compute_contrast(parsed(shades["on-chosen"]), parsed(shades["chosen"])) >= 4.5, (
                colour
            )
        assert light["accent"] == colour


@pytest.mark.parametrize("colour", ["#ffcc00", "#ffffff", "#7f7f7f"])
def test_a_colour_that_is_not_legible_is_refused_with_its_ratio(colour):
    with pytest.raises(
        ValueError, match=r"a darker colour: its contrast with the light pages is "
    ) as refused:
        accent.parse_accent(colour)
    said = re.search(r"is ([\d.]+):1, and text needs at least 4.5:1", str(refused.value))
    worst = min(compute_contrast(parsed(colour), parsed(each)) for each in accent.LIGHT)
    assert (
        said
        and 0 <= worst - float(said[1]) < 0.01
        and compute_contrast(parsed(colour), WHITE) < 4.5
    )
