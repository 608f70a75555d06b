"""What videos can look like: the themes, and a file for each look.

A file makes a look: its name is offered by the API, the console, the tools for agents and the
command line. ``svc.media.drawing.looks`` says what its settings mean.
"""

import tomllib
from pathlib import Path
from typing import Any

THEMES = ("dark", "light")


def read_settings(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the settings of each look in a folder, in the order of their ``position``."""
    files = folder.glob("*.toml")
    looks = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in files}
    return dict(sorted(looks.items(), key=lambda look: look[1].pop("position")))


#: By the name of the look, in the order in which looks are offered.
SETTINGS = read_settings(Path(__file__).parent)
LOOK_NAMES = tuple(SETTINGS)
#: That of the first project type of a new account, and of a project type that names none.
DEFAULT_LOOK = "scenes"
