"""The further languages that an installation speaks: its speech endpoint's,
where a font has their letters.
"""

import json
import subprocess
import sys
from importlib.util import find_spec

from svc.base.errors import StartRefused
from svc.base.processes import entry_points
from svc.base.processes.entry_points import Process
from svc.base.settings import Settings
from svc.base.text import languages

# of Chinese, Japanese and Korean; fonts of the others are installed with the service
_FONT = "noto_cjk_sans_otc"
_SECONDS = 60


def offer(settings: Settings) -> None:
    """Offer in this process what ``settings`` name.

    StartRefused: no font has the letters of one of the languages.
    """
    if lacking := without_letters(settings, settings.speech_languages):
        raise StartRefused(
            f"SVC_SPEECH_LANGUAGES names {', '.join(lacking)}, but no font here has the letters: "
            "run `pip install noto-cjk-sans-otc`, or put a font with them into "
            f"{settings.fonts_dir}"
        )
    languages.offer_languages(settings.speech_languages)


def without_letters(settings: Settings, codes: tuple[str, ...]) -> list[str]:
    """Return which of ``codes``, of further languages, no font has the letters of."""
    wide = [code for code in codes if languages.FURTHER[code].is_wide]
    if not wide or find_spec(_FONT):
        return []
    command = [
        sys.executable,
        *entry_points.arguments(Process.LETTERS),
        str(settings.fonts_dir.absolute()),
        *wide,
    ]
    done = subprocess.run(
        command, cwd=entry_points.ROOT, capture_output=True, check=True, timeout=_SECONDS
    )
    lacking: list[str] = json.loads(done.stdout)
    return lacking
