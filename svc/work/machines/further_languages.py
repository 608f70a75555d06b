"""The further languages that an installation speaks, where a font has their letters: its speech
endpoint's, or those of the trained voices that are installed on their own.
"""

import json
from importlib.util import find_spec

from svc.base import voices
from svc.base.errors import StartRefused
from svc.base.processes.entry_points import Process
from svc.base.processes.module_process import run_module
from svc.base.settings import Settings
from svc.base.text import languages
from svc.media.speech.trained import weights

# The font of Chinese, Japanese and Korean; fonts of the others are installed with the service.
_FONT = "noto_cjk_sans_otc"
_SECONDS = 60


def offer(settings: Settings) -> None:
    """Offer in this process what ``settings`` name and what the trained voices here speak.

    StartRefused: no font has the letters of one of the languages.
    """
    if lacking := list_without_letters(settings, settings.speech_languages):
        raise StartRefused(
            f"SVC_SPEECH_LANGUAGES names {', '.join(lacking)}, but no font here has the letters: "
            "run `pip install noto-cjk-sans-otc`, or put a font with them into "
            f"{settings.fonts_dir}"
        )
    languages.offer_languages(list_codes(settings))


def list_codes(settings: Settings) -> tuple[str, ...]:
    """Return the codes of the further languages that this process speaks: those of its speech
    endpoint, which speaks everything where there is one, or else of the trained voices here.
    """
    named = settings.speech_languages
    if settings.voice != "trained" or settings.speech_url:
        return named
    able = tuple(
        code
        for code in languages.FURTHER
        if (model := voices.find_optional_model(code, "", ""))
        and weights.can_read(code)
        and weights.is_installed(model)
    )
    lacking = list_without_letters(settings, able)
    return (*named, *(code for code in able if code not in (*named, *lacking)))


def list_without_letters(settings: Settings, codes: tuple[str, ...]) -> list[str]:
    """Return which of ``codes``, of further languages, no font has the letters of."""
    wide = [code for code in codes if languages.FURTHER[code].is_wide]
    if not wide or find_spec(_FONT):
        return []
    fonts = str(settings.fonts_dir.absolute())
    done = run_module(Process.MISSING_LETTERS, fonts, *wide, seconds=_SECONDS)
    done.check_returncode()
    lacking: list[str] = json.loads(done.stdout)
    return lacking
