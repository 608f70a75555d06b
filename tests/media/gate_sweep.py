"""``python -m tests.media.gate_sweep addresses readmes briefs``: productions of many kinds, and
what the gates say of them.

- ``briefs``: the generated briefs of tests.media.generated, 1,000 of them;
- ``readmes``: the first 4,096 characters of 300 READMEs of packages that are installed on this
  machine;
- ``addresses``: 200 addresses, e-mail addresses, paths, hashes, telephone numbers and the like,
  each in its own brief;
- ``--documents FOLDER``: the first 4,096 characters of each Markdown file in FOLDER/en, FOLDER/fr
  and further folders that are named by a language, as people wrote them.

Each goes through every step and gate in small pictures; where the gates find anything, it is made
again in its real size. A line is printed for each failure and each warning, and a table at the end;
the command ends with 1 if a gate failed or a step crashed. ``--first`` and ``--count`` choose a
slice of each kind. ``--into`` adds the results to a file and begins where that file ends: only what
is not in it is made, and what failed or crashed is made again. ``--table`` alone prints the table
of the file. ``--quick`` asks only the gates of texts (script, captions, transcripts and what is
drawn), with words timed by their letters and no film: two seconds for a README in place of thirty.
Its results need a file of their own.
"""

import argparse
import json
import math
import multiprocessing
import os
import random
import shutil
import string
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path

from babel.core import get_global

from svc.media import audio
from svc.media.captions import captions, transcript
from svc.media.checks import captions as caption_checks
from svc.media.checks import documents
from svc.media.checks import run as gates
from svc.media.checks import script as script_checks
from svc.media.checks import text as text_checks
from svc.media.errors import MediaError
from svc.media.model import (
    Presenter,
    QualityFinding,
    QualityFindings,
    Rendition,
    SceneTiming,
    Script,
    Timeline,
    VideoBrief,
    Word,
    load,
    save,
)
from svc.media.resources import Resources
from svc.media.slides import slide
from svc.media.steps import PIPELINE_STEPS
from svc.media.video.scene import SceneRenderer
from tests.media import generated

CHARACTERS = 4096  # of notes
COUNTS = {"addresses": 200, "readmes": 300, "briefs": 1000}
FOLDERS = (
    "/usr/lib/node_modules",
    "/usr/lib/python3",
    "/usr/share/doc",
    "/usr/lib",
    "/usr/local/lib",
    "/root",
    "/home",
    "/opt",
)
_FEWEST = 400  # characters of a README that is worth the name
_PAUSE, _OF_A_WORD, _OF_A_LETTER = 0.3, 0.12, 0.055  # seconds, about as espeak-ng speaks
_OF_TIMES = ("reading speed", "shortest caption", "caption gap")  # which only a voice has
_SMALL = Rendition("landscape", 320, 180)


@dataclass(frozen=True)
class Result:
    """What became of a brief.

    ``ended``: "finished", or the code of a refusal; ``failed``, ``warned``: what the gates found.
    """

    kind: str
    name: str
    ended: str
    seconds: float = 0.0
    message: str = ""
    failed: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()

    @property
    def is_bad(self) -> bool:
        return self.ended == "QUALITY_GATE_FAILED" or self.ended.startswith("crashed")


def addresses(count: int) -> Iterator[tuple[str, str]]:
    """Yield names and notes with an address of some kind: bare, in a sentence, a list, a table,
    a heading or code.
    """
    for seed in range(count):
        chance = random.Random(seed)  # noqa: S311 - the same ones each time
        make = _ADDRESSES[seed % len(_ADDRESSES)]
        form = _FORMS[seed // len(_ADDRESSES) % len(_FORMS)]
        yield f"{seed} {make.__name__.strip('_')}", form.format(make(chance), make(chance))


def _letters(
    chance: random.Random, least: int, most: int, alphabet: str = string.ascii_lowercase
) -> str:
    return "".join(chance.choices(alphabet, k=chance.randint(least, most)))


def _host(chance: random.Random) -> str:
    names = (_letters(chance, 2, 12) for _ in range(chance.randint(1, 3)))
    return ".".join([*names, chance.choice(("com", "example", "co.uk", "de", "io", "museum"))])


def _short_url(chance: random.Random) -> str:
    return f"https://{_host(chance)}/{_letters(chance, 1, 8)}"


def _long_url(chance: random.Random) -> str:
    parts = "/".join(
        _letters(chance, 3, 20, string.ascii_letters + string.digits + "-_")
        for _ in range(chance.randint(3, 9))
    )
    return f"https://{_host(chance)}/{parts}"


def _url_with_query(chance: random.Random) -> str:
    pairs = "&".join(
        f"{_letters(chance, 1, 8)}={_letters(chance, 1, 30, string.hexdigits)}"
        for _ in range(chance.randint(1, 7))
    )
    return (
        f"http://{_host(chance)}:{chance.randint(80, 9999)}/{_letters(chance, 2, 9)}"
        f"?{pairs}#{_letters(chance, 2, 12)}"
    )


def _encoded_url(chance: random.Random) -> str:
    return f"https://{_host(chance)}/" + "".join(
        f"%{chance.randint(0x80, 0xBF):02X}" for _ in range(chance.randint(3, 40))
    )


def _url_with_user(chance: random.Random) -> str:
    return (
        f"ftp://{_letters(chance, 2, 8)}:{_letters(chance, 4, 12)}@{_host(chance)}"
        f"/{_letters(chance, 3, 9)}.tar.gz"
    )


def _git_address(chance: random.Random) -> str:
    return f"git@{_host(chance)}:{_letters(chance, 3, 12)}/{_letters(chance, 3, 24)}.git"


def _bare_host(chance: random.Random) -> str:
    return f"www.{_host(chance)}"


def _email(chance: random.Random) -> str:
    return (
        f"{_letters(chance, 2, 12)}.{_letters(chance, 2, 14)}+{_letters(chance, 1, 9)}"
        f"@{_host(chance)}"
    )


def _long_email(chance: random.Random) -> str:
    return f"{_letters(chance, 30, 60)}@{_letters(chance, 20, 50)}.{_host(chance)}"


def _phone(chance: random.Random) -> str:
    groups = " ".join(_letters(chance, 2, 4, string.digits) for _ in range(chance.randint(2, 5)))
    return chance.choice(("+{} {}", "+{} ({})", "00{}-{}", "{}{} ext. 12")).format(
        chance.randint(1, 99), groups
    )


def _sha(chance: random.Random) -> str:
    length = chance.choice((7, 40, 64, 128))
    return _letters(chance, length, length, "0123456789abcdef")


def _base64(chance: random.Random) -> str:
    return _letters(chance, 20, 120, string.ascii_letters + string.digits + "+/") + "=="


def _uuid(chance: random.Random) -> str:
    return "-".join(
        _letters(chance, length, length, "0123456789abcdef") for length in (8, 4, 4, 4, 12)
    )


def _unix_path(chance: random.Random) -> str:
    return "/" + "/".join(_letters(chance, 2, 12) for _ in range(chance.randint(2, 9))) + ".conf"


def _windows_path(chance: random.Random) -> str:
    return "C:\\" + "\\".join(_letters(chance, 2, 12) for _ in range(chance.randint(2, 8))) + ".exe"


def _ip(chance: random.Random) -> str:
    return ".".join(str(chance.randint(0, 255)) for _ in range(4)) + f":{chance.randint(1, 65535)}"


def _ipv6(chance: random.Random) -> str:
    return ":".join("".join(chance.choices("0123456789abcdef", k=4)) for _ in range(8)) + "/64"


def _iban(chance: random.Random) -> str:
    return f"DE{chance.randint(10, 99)} " + " ".join(
        _letters(chance, 4, 4, string.digits) for _ in range(5)
    )


def _module(chance: random.Random) -> str:
    return ".".join(_letters(chance, 3, 12) for _ in range(chance.randint(3, 8))) + "()"


def _option(chance: random.Random) -> str:
    words = "-".join(_letters(chance, 2, 9) for _ in range(chance.randint(2, 7)))
    return f"--{words}={_letters(chance, 1, 20)}"


def _data_url(chance: random.Random) -> str:
    return (
        f"data:image/png;base64,{_letters(chance, 60, 200, string.ascii_letters + string.digits)}"
    )


def _street(chance: random.Random) -> str:
    street, town = (_letters(chance, 4, 12).title() for _ in range(2))
    return (
        f"{chance.randint(1, 9999)} {street} St., Apt. {chance.randint(1, 99)}B, {town}, NY "
        f"1{chance.randint(1000, 9999)}"
    )


_ADDRESSES = (
    _short_url, _long_url, _url_with_query, _encoded_url, _url_with_user, _git_address, _bare_host,
    _email, _long_email, _phone, _sha, _base64, _uuid, _unix_path, _windows_path, _ip, _ipv6, _iban,
    _module, _option, _data_url, _street,
)  # fmt: skip
_FORMS = (
    "{0}",
    "See {0} for the report, or write to {1}.",
    "## Where to look\n\n- {0}\n- The other one: {1}",
    "| Place | Address |\n|---|---|\n| Office | {0} |\n| Store | {1} |",
    "## {0}\n\nThis is where it stands.",
    "Call it:\n\n```\nopen {0}\nopen {1}\n```",
    "The file lies at `{0}`. [The same]({1}) is **{0}**.",
    "> {0}\n>\n> — {1}",
    "Steps:\n\n1. Open {0}.\n2. Copy {1}.\n3. Close it.",
    "{0} {1} {0} {1}",
)


def readmes(count: int) -> Iterator[tuple[str, str]]:
    """Yield names and the beginnings of the READMEs of installed packages, each text once."""
    seen: set[str] = set()
    for name, text in _texts():
        beginning = text.strip()[:CHARACTERS]
        if len(beginning) >= _FEWEST and beginning not in seen:
            seen.add(beginning)
            yield name, beginning
        if len(seen) == count:
            return


def _texts() -> Iterator[tuple[str, str]]:
    """The READMEs of this interpreter's packages first, as they are on each machine;
    then what lies in other places.
    """
    named = sorted(metadata.distributions(), key=lambda each: each.name.casefold())
    yield from (
        (each.name, str(each.metadata.get_payload() or each.metadata["Description"] or ""))
        for each in named
    )
    for folder in FOLDERS:
        for path in sorted(_files(Path(folder))):
            text = path.read_text("utf-8", "replace")
            yield str(path), text.partition("\n\n")[2] if path.name == "METADATA" else text


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(
            each for each in folders if each not in ("proc", "sys", "test", "tests")
        )
        for each in files:
            path = Path(place, each)
            is_readme = each.casefold() in (
                "readme",
                "readme.md",
                "readme.rst",
                "readme.txt",
                "readme.markdown",
            )
            if (
                is_readme or (each == "METADATA" and place.endswith(".dist-info"))
            ) and path.is_file():
                yield path


def brief_of(kind: str, name: str, notes: str) -> VideoBrief:
    """A brief with ``notes``, of one shape. A topic such as people give, and not the notes' own."""
    topic = {"readmes": f"About {name.rpartition('/')[2]}", "documents": name}.get(
        kind, "Where to find it"
    )
    avatar = Presenter("Ada", moving=False)
    return VideoBrief(
        "p", topic, topic, "en", "US", notes, avatar, (_SMALL,), account_name="Harbour & Sons"
    )


def made(kind: str, brief: VideoBrief, name: str) -> Result:
    """Make a brief small; in its real size, too, if the gates find anything."""
    return _in_either_size(_made, kind, brief, name)


def quickly(kind: str, brief: VideoBrief, name: str) -> Result:
    """Ask the gates of texts alone, first of small pictures."""
    return _in_either_size(_read_quickly, kind, brief, name)


def _in_either_size(
    make: Callable[[str, VideoBrief, str], Result], kind: str, brief: VideoBrief, name: str
) -> Result:
    result = make(kind, brief, name)
    if result.failed or result.warned:
        real = tuple(map(generated.in_real_size, brief.renditions))
        result = make(kind, replace(brief, renditions=real), name)
    return result


def _read_quickly(kind: str, brief: VideoBrief, name: str) -> Result:
    with tempfile.TemporaryDirectory(prefix="gate_sweep.") as root:
        folder, seconds = Path(root), 0.0
        try:
            PIPELINE_STEPS[0].run(brief, folder, lambda _: None, Resources())
            script = load(Script, folder / "script.json")
            seconds, found = _texts_of(brief, script, folder)
            ended, message = "finished", ""
        except MediaError as refused:
            ended, message, found = refused.code or "refused", refused.message, []
        except Exception as crash:  # whatever it is, it is told
            ended, message, found = f"crashed: {type(crash).__name__}", str(crash), []
    return _result(kind, name, ended, seconds, message, found)


def _texts_of(
    brief: VideoBrief, script: Script, folder: Path
) -> tuple[float, list[QualityFinding]]:
    """Return the length, and what the gates find in captions, transcripts,
    drawn texts and the script.
    """
    timeline = _timed(script)
    save(timeline, folder / "timeline.json")
    captions.write_captions(folder)
    transcript.write_transcript(brief, folder)
    found = []
    for name in gates.CAPTION_FILES:
        found += caption_checks.list_findings(
            folder / name, script, timeline, None, timeline.duration
        )
    for name in documents.TRANSCRIPTS:
        measured = documents._check_transcript(folder / name, brief, script)
        found.append(QualityFinding("text of the document", name, **asdict(measured)))
    for shape in brief.renditions:
        studio = SceneRenderer(brief, script, shape, folder)
        for number, scene in enumerate(script.scenes):
            studio.picture(number, len(slide.list_stages(scene)) - 1)
        for cue in captions.split_burned_cues(brief, script, timeline, studio.plan.caption_lines):
            studio.draw_caption(cue)
        found += text_checks.list_findings(
            f"{shape.name}.mp4", studio.record_lettering(studio.drain_texts()), script
        )
    found += script_checks.list_findings(brief, script)
    return timeline.duration, [finding for finding in found if finding.check not in _OF_TIMES]


def _timed(script: Script) -> Timeline:
    """Return a timeline in which each word lasts as long as its letters."""
    scenes, at = [], 0.0
    for scene in script.scenes:
        start, words = at, []
        at += _PAUSE
        for word, spoken in zip(scene.words, scene.spoken, strict=True):
            end = at + _OF_A_WORD + _OF_A_LETTER * len(spoken)
            words.append(Word(word, round(at, 3), round(end, 3)))
            at = end
        tail = (
            max(_PAUSE, captions.find_shortest_tail(words[-1].end - words[0].start))
            if words
            else max(_PAUSE, scene.shortest)
        )
        at = round(math.ceil((at + tail) * 30) / 30, 6)
        scenes.append(SceneTiming(start, at, tuple(words)))
    return Timeline(at, audio.SAMPLE_RATE, tuple(scenes))


def _made(kind: str, brief: VideoBrief, name: str) -> Result:
    folder = Path(tempfile.mkdtemp(prefix="gate_sweep."))
    seconds = 0.0
    try:
        save(brief, folder / "brief.json")
        for step in PIPELINE_STEPS:
            step.run(brief, folder, lambda _: None, Resources())
        seconds, ended, message = load(Timeline, folder / "timeline.json").duration, "finished", ""
    except MediaError as refused:
        ended, message = refused.code or "refused", refused.message
    except Exception as crash:  # whatever it is, it is told
        ended, message = f"crashed: {type(crash).__name__}", str(crash)
    try:
        found = load(QualityFindings, folder / "findings.json").findings
    except OSError:
        found = ()
    finally:
        shutil.rmtree(folder)
    return _result(kind, name, ended, seconds, message, found)


def _result(
    kind: str, name: str, ended: str, seconds: float, message: str, found: Iterable[QualityFinding]
) -> Result:
    missed = [finding for finding in found if not finding.passed]
    failed = tuple(finding.check for finding in missed if getattr(finding, "certain", True))
    warned = tuple(finding.check for finding in missed if not getattr(finding, "certain", True))
    if failed and ended == "finished":
        ended = "QUALITY_GATE_FAILED"
    message = message or "; ".join(
        f"{each.check} of {each.subject}: {each.measured} ({each.where})" for each in missed
    )
    return Result(kind, name, ended, seconds, message[:2000], failed, warned)


def list_documents(folder: Path) -> list[tuple[str, VideoBrief, str]]:
    """Return the job of each Markdown file in a folder of folders that are named by a language;
    their topic is the name of the file."""
    found = []
    for path in sorted(folder.glob("*/**/*.md")):
        place = path.relative_to(folder)
        language, notes = place.parts[0], path.read_text("utf-8", "replace")
        country = get_global("likely_subtags")[language].rpartition("_")[2]
        brief = brief_of("documents", path.stem, notes.strip()[:CHARACTERS])
        brief = replace(brief, language=language, country=country)
        found.append(("documents", brief, str(place)))
    return found


def jobs(kind: str, first: int, count: int) -> list[tuple[str, VideoBrief, str]]:
    """The slice of a kind: its name, the brief and the brief's name."""
    if kind == "briefs":
        return [(kind, generated.brief_of(seed), str(seed)) for seed in range(first, first + count)]
    texts = list({"addresses": addresses, "readmes": readmes}[kind](first + count))[first:]
    return [(kind, brief_of(kind, name, notes), name) for name, notes in texts]


def table(results: Iterable[Result]) -> str:
    """One row for each kind, then one for each gate that found something."""
    by_kind: dict[str, list[Result]] = {}
    for result in results:
        by_kind.setdefault(result.kind, []).append(result)
    lines = [
        "| kind | number | finished | refused | gate failures | crashes | with warnings |",
        "|---|---|---|---|---|---|---|",
    ]
    gates: Counter[tuple[str, str, str]] = Counter()
    for kind, rows in sorted(by_kind.items()):
        ended = Counter(row.ended.partition(":")[0] for row in rows)
        failed, crashed, finished = (
            ended.pop("QUALITY_GATE_FAILED", 0),
            ended.pop("crashed", 0),
            ended.pop("finished", 0),
        )
        refused = ", ".join(f"{number} {code}" for code, number in ended.items()) or "0"
        warned = sum(1 for row in rows if row.warned)
        lines.append(
            f"| {kind} | {len(rows)} | {finished} | {refused} | {failed} | {crashed} | {warned} |"
        )
        for row in rows:
            gates.update((kind, gate, "failure") for gate in set(row.failed))
            gates.update((kind, gate, "warning") for gate in set(row.warned))
    lines += ["", "| kind | gate | verdict | productions |", "|---|---|---|---|"]
    lines += [
        f"| {kind} | {gate} | {verdict} | {number} |"
        for (kind, gate, verdict), number in sorted(gates.items())
    ]
    return "\n".join(lines)


def _run(
    make: Callable[[str, VideoBrief, str], Result], job: tuple[str, VideoBrief, str]
) -> Result:
    return make(*job)


def remaining(
    todo: list[tuple[str, VideoBrief, str]], results: Iterable[Result]
) -> list[tuple[str, VideoBrief, str]]:
    """Return the jobs that have no good result yet."""
    done = {(each.kind, each.name) for each in results if not each.is_bad}
    return [job for job in todo if (job[0], job[2]) not in done]


def _read(path: Path) -> list[Result]:
    """The results of a file; the last one of each brief."""
    rows = (
        (json.loads(line) for line in path.read_text("utf-8").splitlines()) if path.exists() else ()
    )
    results = (
        Result(**row | {"failed": tuple(row["failed"]), "warned": tuple(row["warned"])})
        for row in rows
    )
    return list({(each.kind, each.name): each for each in results}.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", choices=[[], *COUNTS], default=[])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, help="of each kind; all of them without it")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--documents", type=Path, metavar="FOLDER", help="only what lies there")
    parser.add_argument("--into", type=Path)
    parser.add_argument("--quick", action="store_true", help="only the gates of texts")
    parser.add_argument(
        "--table", action="store_true", help="only print the table of the file named by --into"
    )
    options = parser.parse_args()
    if options.table:
        results = _read(options.into)
        print(table(results))
        sys.exit(1 if any(result.is_bad for result in results) else 0)
    todo = list_documents(options.documents) if options.documents else []
    for kind in options.kinds or (() if options.documents else COUNTS):
        most = COUNTS[kind] - options.first
        todo += jobs(
            kind, options.first, most if options.count is None else min(options.count, most)
        )
    if options.into:
        todo = remaining(todo, _read(options.into))
    results, began = [], time.monotonic()
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        for result in pool.imap_unordered(partial(_run, quickly if options.quick else made), todo):
            results.append(result)
            if options.into:
                with options.into.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
            if result.message:
                print(
                    f"{result.kind} {result.name}: {result.ended} {result.message[:600]}",
                    flush=True,
                )
    print(
        f"\n{len(results)} productions in {(time.monotonic() - began) / 60:.0f} minutes\n\n"
        f"{table(results)}"
    )
    sys.exit(1 if any(result.is_bad for result in results) else 0)


if __name__ == "__main__":
    main()
