"""``python app.py render``: render a Markdown brief to finished files,
without a server or a database.
"""

import re
import tempfile
import uuid
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from svc.base import clock, looks, settings, steps
from svc.base.errors import CommandError, InvalidRequest
from svc.base.shapes import SHAPES, SIZES
from svc.base.text import languages
from svc.cli import signals
from svc.domain import locales
from svc.domain.productions.gate_warnings import QualityWarning
from svc.media import deliverables
from svc.media import model as programme
from svc.media.brand_kit import BrandKit
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.media.music.moods import MOODS, NONE, OF_LOOK
from svc.work.avatar_previews import AvatarPreviews
from svc.work.machines import further_languages
from svc.work.step_process import gate_findings
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import Completed, Crashed, Interrupted

_AVATAR = Presenter(
    "Ada",
    "f3",
    52,
    speaker="heart",
    skin="#e8b48f",
    hair="#3b2a20",
    clothes="#2f5d8a",
    hair_style="bun",
)
_DEFAULT_SHAPES = ("landscape", "portrait")
_UNSTATED = "not stated"  # the licence of a clip
_STEP_SECONDS = 3600.0
_BESIDE = ("poster-*.jpg", "description-*.txt")
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(title|topic)[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@click.command()
@click.argument(
    "brief", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="BRIEF.md"
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The directory for the files.",
)
@click.option(
    "--language",
    default="en",
    show_default=True,
    help="The spoken language as a BCP 47 tag: en, pt-BR, …",
)
@click.option(
    "--country",
    default="US",
    show_default=True,
    help="The target country as an ISO 3166-1 code: US, BR, …",
)
@click.option(
    "--look",
    type=click.Choice(looks.LOOK_NAMES),
    default=looks.DEFAULT_LOOK,
    show_default=True,
    help="How the video looks.",
)
@click.option(
    "--theme",
    type=click.Choice(looks.THEMES),
    default="dark",
    show_default=True,
    help="The ground of the video.",
)
@click.option(
    "--accent", default="#3d7eff", show_default=True, help="The brand's colour, such as #3d7eff."
)
@click.option(
    "--music",
    type=click.Choice((OF_LOOK, NONE, *MOODS)),
    default=OF_LOOK,
    show_default=True,
    help="A quiet bed under the speech; `look`: what the look wants.",
)
@click.option(
    "--intro",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A clip before the title.",
)
@click.option(
    "--outro",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A clip after the close.",
)
@click.option(
    "--full-text", is_flag=True, help="Show prose whole, not as a key phrase with a picture."
)
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    type=click.Choice(SHAPES),
    default=_DEFAULT_SHAPES,
    show_default=True,
    help="A shape of the video; repeatable.",
)
def render(
    brief: Path,
    out: Path,
    language: str,
    country: str,
    shapes: tuple[str, ...],
    intro: Path | None,
    outro: Path | None,
    **dress: Any,
) -> None:
    """Render all files of a production from a Markdown brief.

    Headings become scenes, list items become points, and prose becomes narration. Front matter may
    set title and topic; the default is the first heading, or the file name.
    """
    signals.end_as_by_ctrl_c()
    config = settings.read()
    further_languages.offer(config)
    video_brief = _read_brief(brief, language, country, shapes, dress)
    screen = Console(highlight=False, soft_wrap=True)
    # scenes of earlier runs are reused from there
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".render-", dir=out) as work_folder:
        folder = Path(work_folder)
        video_brief = replace(
            video_brief, brand=_build_brand(AvatarPreviews(config), folder, intro, outro)
        )
        programme.save(video_brief, folder / "brief.json")
        _run_steps(folder, screen, StepConfig.from_settings(config))
        warnings = gate_findings.read_warnings(folder)
        names = dict.fromkeys(
            file.path for file in deliverables.list_deliverables(video_brief, folder)
        )
        for name in [*names, *(file.name for kind in _BESIDE for file in folder.glob(kind))]:
            (folder / name).replace(out / name)
            screen.print(f"{(out / name).stat().st_size / 1e6:8.2f} MB  {out / name}", markup=False)
        _warn(warnings, folder, out)


def _warn(warnings: list[QualityWarning], folder: Path, out: Path) -> None:
    """Print the warnings of the quality gates, and put the scenes' pictures beside the files."""
    for name in {warning.picture for warning in warnings if warning.picture}:
        (folder / name).replace(out / name)
    for warning in warnings:
        place = f" See {out / warning.picture}" if warning.picture else ""
        click.echo(f"warning: {warning.message}{place}", err=True)


def _read_brief(
    path: Path, language: str, country: str, shapes: tuple[str, ...], dress: dict[str, Any]
) -> VideoBrief:
    """Return the brief in ``path``.

    ``dress``: its look, theme, accent and music, and whether it shows all of its text.
    """
    spoken_language = languages.find_language(language)
    if spoken_language is None or spoken_language.code not in languages.list_offered_languages():
        raise CommandError(
            f"--language {language} is not supported; these languages are: "
            f"{', '.join(languages.list_offered_languages())}."
        )
    if country not in {entry["code"] for entry in locales.list_countries().values()}:
        raise CommandError(
            f"--country {country} is not an ISO 3166-1 country code such as US or BR."
        )
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as bad:
        raise CommandError(f"{path} is not UTF-8: {bad.reason} at byte {bad.start}.") from bad
    title, topic, notes = _split_parts(text, path.stem)
    return VideoBrief(
        production_id=str(uuid.uuid4()),
        title=title,
        topic=topic,
        language=spoken_language.code,
        country=country,
        metadata_md=notes,
        avatar=_AVATAR,
        renditions=tuple(Rendition(name, *SIZES[name]) for name in dict.fromkeys(shapes)),
        triggered_at=clock.format_time(clock.now()),
        **dress,
    )


def _build_brand(
    checking: AvatarPreviews, folder: Path, intro: Path | None, outro: Path | None
) -> BrandKit:
    """Return the brand kit with these clips, which are checked and written again to ``folder``."""
    clips: dict[str, Any] = {}
    for place, path in (("intro", intro), ("outro", outro)):
        if path:
            clips |= {place: f"{place}.mp4", f"{place}_licence": _UNSTATED}
            try:
                (folder / clips[place]).write_bytes(
                    checking.reencode_trusted("clip", path.read_bytes(), place)
                )
            except InvalidRequest as wrong:
                raise CommandError(f"--{place}: {wrong.message}") from wrong
    return BrandKit(**clips)


def _split_parts(text: str, stem: str) -> tuple[str, str, str]:
    """Return title and topic from the front matter, each a default for the other; else the first
    heading or the file name; and the notes, without the front matter that has them."""
    front = _FRONT_MATTER.search(text)
    fields = {name: value.strip("\"'") for name, value in _FIELD.findall(front[1] if front else "")}
    heading = _HEADING.search(text[front.end() :] if front else text)
    title = (
        fields.get("title")
        or fields.get("topic")
        or (heading[1] if heading else re.sub(r"[-_]+", " ", stem))
    )
    notes = text[front.end() :] if front and fields else text
    return title, fields.get("topic") or title, notes


def _show(bar: Progress, task: TaskID, fraction: float) -> None:
    bar.update(task, completed=fraction)


def _run_steps(folder: Path, screen: Console, config: StepConfig) -> None:
    columns = (
        TextColumn("{task.description:34}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=screen) as bar:
        for name, label in steps.STEPS:
            task = bar.add_task(label, total=1.0)
            outcome = step_runner.run_step(
                name, folder, _STEP_SECONDS, partial(_show, bar, task), config
            )
            if not isinstance(outcome, Completed):
                code = Crashed.code if isinstance(outcome, Interrupted) else outcome.code
                raise CommandError(f"The step “{name}” failed. {code}: {outcome.message}")
            bar.update(task, completed=1.0)
