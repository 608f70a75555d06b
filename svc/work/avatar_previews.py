"""Previews of avatars and voices for the console: pictures, sample videos and sounds,
made in child processes.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from svc.adapters.storage import open_store
from svc.base import atomic_file, clock, ids, limits, version, voices
from svc.base.errors import InvalidRequest, ServiceUnavailable
from svc.base.processes import confinement, entry_points
from svc.base.processes.entry_points import Process
from svc.base.protocols import Files
from svc.base.settings import Settings
from svc.base.text.languages import find_language
from svc.base.voices import NamedVoice
from svc.domain import locales
from svc.domain.lifecycle import script_review, settled_briefs
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import avatars
from svc.domain.tables.partners import Account
from svc.media import model as programme
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.work import brief_builder
from svc.work.files.uploads import Uploads
from svc.work.preview_jobs import PreviewJobs
from svc.work.step_process import runner as step_runner
from svc.work.step_process import written_script
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import Completed

# The most bytes of an upload of the kinds that may be larger than others.
_LARGEST = {"track": limits.MOST_OF_A_TRACK, "clip": limits.MOST_OF_A_CLIP}
_PICTURE_SECONDS, _UPLOAD_SECONDS = 30, {"track": 90, "clip": 150}
_SAMPLE_SECONDS = 90.0
_VOICE_SECONDS = 120
_SCRIPT_SECONDS = 20.0
_RETRY_SECONDS = 10
_OUTLINES = 2  # scripts at once, which take little of the machine
_KEPT = 100  # files in each folder of the cache
_TOO_MUCH = {
    "picture": (
        "The picture could not be read within the limits of time and memory. Save it again as "
        "JPEG or PNG."
    ),
    "font": (
        "The font could not be read within the limits of time and memory. Make a subset of "
        "it first."
    ),
    "music": (
        "The track could not be read within the limits of time and memory. Shorten it, or save "
        "it as MP3."
    ),
    "video": (
        "The clip could not be read within the limits of time and memory. Save it with 1920 × "
        "1080 pixels."
    ),
}
_SAMPLE_STEPS, _SCENE_STEPS = ("script", "narration", "video"), ("narration", "video")
_RENDITION = Rendition("sample", 640, 360)
_Make = Callable[[Path], None]  # makes a file, in a temporary folder


class AvatarPreviews:
    """Makes previews one at a time, so that most of the machine remains for productions.

    A method that is given an ``owner`` (of threads: svc.base.threads) makes its file in the
    background. It waits for the file for at most ``seconds``, and returns None while it is not
    there. Without an owner it waits until the file is there.
    """

    def __init__(self, settings: Settings, files: Files | None = None):
        """``files``: the store of files, for uploads; None: that of the settings."""
        self.assets, self._cache = settings.assets_dir, settings.data_dir / "studio"
        self.uploads = Uploads(files or open_store(settings), self.assets)
        self._outline_folder = self._cache / "outlines"  # apart, as one brief makes many
        self._step_config = StepConfig(trained=settings.voice == "trained")
        self._turn, self._outlines = threading.Lock(), threading.BoundedSemaphore(_OUTLINES)
        self._upload = threading.Lock()  # operators' uploads wait for nobody's previews
        self._jobs = PreviewJobs()

    def reencode(self, kind: str, uploaded: bytes, field: str = "") -> bytes:
        """Return an upload, re-encoded as ``kind``: "portrait", "logo", "font", "track" or "clip".
        InvalidRequest: it is not usable; the error names ``field``, or else ``kind``."""
        checked = self.reencode_trusted(kind, uploaded, field)
        self.uploads.keep(checked)
        return checked

    def reencode_trusted(self, kind: str, uploaded: bytes, field: str = "") -> bytes:
        """Return the same as :meth:`reencode`, for a file that nobody uploaded."""
        largest = _LARGEST.get(kind, limits.MOST_OF_AN_UPLOAD)
        if not 0 < len(uploaded) <= largest:
            self._refuse_field(
                field or kind,
                f"Choose a {_name_upload_kind(kind)} file of at most {limits.to_mib(largest)} MiB.",
            )
        with self._take_turn(self._upload, waits=False) as folder:
            source, target = folder / "upload", folder / "picture"
            source.write_bytes(uploaded)
            message = self._run_child(kind, source, target)
            if message:
                self._refuse_field(field or kind, message)
            return target.read_bytes()

    def fetch_asset(self, file: str) -> Path:
        """Return the path of a stored picture, which is fetched if another machine took it."""
        self.uploads.fetch([file])
        return self.assets / file

    def render_picture(
        self, avatar: dict[str, Any], owner: str | None = None, seconds: float = 0
    ) -> Path | None:
        """Return the file of an avatar's portrait, drawn face, or sign of a voice.

        ``avatar``: as returned by svc.domain.partners.avatars.get.
        """
        drawn = self._build_presenter(avatar)
        if drawn.portrait and drawn.is_shown:
            return self.fetch_asset(drawn.portrait)
        target = self._make_cache_folder() / f"face-{_make_digest(drawn)}.png"

        def draw(folder: Path) -> None:
            source = folder / "avatar.json"
            programme.save(drawn, source)
            self._run_child("face", source, target)
            self._forget_old()

        return self._make_file(target, draw, owner, seconds)

    def render_sample(
        self,
        avatar: dict[str, Any],
        language_id: str,
        text: str,
        owner: str | None = None,
        seconds: float = 0,
    ) -> Path | None:
        """Return a short video in which the avatar speaks ``text``.

        InvalidRequest: it cannot be made.
        """
        spoken = self._build_presenter(avatar)
        language = locales.list_languages()[language_id]["code"]
        target = self._make_cache_folder() / f"sample-{_make_digest(spoken, language, text)}.mp4"

        def film(folder: Path) -> None:
            self._make_film(_make_brief(spoken, language, text), _SAMPLE_STEPS, folder, target)

        return self._make_file(target, film, owner, seconds)

    def render_scene(
        self, production_id: str, scene: int, owner: str | None = None, seconds: float = 0
    ) -> Path | None:
        """Return a short video of a scene of a script that is reviewed, as the latest version has
        it.

        It is spoken by this server's own voices. InvalidRequest: it cannot be made; others as
        script_review.find_scene.
        """
        shown, whole = script_review.find_scene(production_id, scene)
        # Once its first step was run, its settings stand for its brief, whose other fields stay as
        # they are: the brief itself is read only for a film that there is room for.
        settings = settled_briefs.find_settings(production_id)
        identity = _make_digest(
            version.VERSION,
            production_id,
            settings or brief_builder.build_brief(production_id),
            shown,
            whole,
        )
        target = self._make_cache_folder() / f"sample-{identity}.mp4"

        def prepare() -> _Make:
            brief = brief_builder.build_brief(production_id)
            brief = replace(
                brief,
                renditions=(_RENDITION,),
                edits=(brief_builder.make_scene_edit(shown),),
                music="none",
                brand=brief.brand.without_clips(),
                caption_languages=(),
            )

            def film(folder: Path) -> None:
                atomic_file.write_text(folder / "script.json", _remove_cards(whole))
                self._make_film(brief, _SCENE_STEPS, folder, target)

            return film

        return self._prepare_file(target, prepare, owner, seconds)

    def outline(self, account: Account, brief: Brief, now: int) -> list[dict[str, Any]]:
        """Return the scenes of the script that the built-in writer makes from a brief, as
        script_review stores them.

        InvalidRequest: it makes none. ``now``: when it would be triggered.
        """
        with self._take_turn(self._outlines, waits=False) as folder:
            video_brief = self._build_untriggered_brief(account, brief, now)
            return self._draft_script(video_brief, folder, _SCRIPT_SECONDS)

    def begin_outline(
        self, account: Account, brief: Brief, now: int, owner: str, seconds: float = 0
    ) -> list[dict[str, Any]] | None:
        """Return the same as :meth:`outline`, made beside the request; None: it is being made."""
        video_brief = self._build_untriggered_brief(account, brief, now)
        written = replace(video_brief, triggered_at="")  # a script does not depend on the moment
        target = self._outline_folder / f"{_make_digest(written, version.VERSION)}.json"

        def write(folder: Path) -> None:
            target.parent.mkdir(exist_ok=True)
            atomic_file.write_text(
                target, json.dumps(self._draft_script(video_brief, folder, _SAMPLE_SECONDS))
            )
            self._forget_old(target.parent)

        if self._make_file(target, write, owner, seconds, self._outlines) is None:
            return None
        try:
            scenes: list[dict[str, Any]] = json.loads(target.read_text())
            return scenes
        except FileNotFoundError:  # so many others were made that it is removed already
            return None

    def _build_untriggered_brief(self, account: Account, brief: Brief, now: int) -> VideoBrief:
        return brief_builder.build_untriggered_brief(
            account, brief, self._build_presenter(avatars.get(brief.avatar_id)), now
        )

    def _draft_script(
        self, video_brief: VideoBrief, folder: Path, seconds: float
    ) -> list[dict[str, Any]]:
        programme.save(video_brief, folder / "brief.json")
        outcome = step_runner.run_step(
            "script", folder, seconds, lambda _: None, self._step_config.prepare_for_step("script")
        )
        if not isinstance(outcome, Completed):
            self._refuse_field("values", outcome.message)
        return written_script.read_script(folder).scenes

    def _make_film(
        self, brief: VideoBrief, step_names: Sequence[str], folder: Path, target: Path
    ) -> None:
        """Run some steps for ``brief`` in ``folder``, and keep the video.

        InvalidRequest: a step refuses it.
        """
        programme.save(brief, folder / "brief.json")
        self.uploads.fetch(brief_builder.list_uploads(brief))
        brief_builder.copy_uploads(brief, self.assets, folder)
        for step in step_names:
            outcome = step_runner.run_step(
                step,
                folder,
                _SAMPLE_SECONDS,
                lambda fraction: None,
                self._step_config.prepare_for_step(step),
            )
            if not isinstance(outcome, Completed):
                self._refuse_field("text", outcome.message)
        shutil.move(folder / f"{_RENDITION.name}.mp4", target)
        self._forget_old()

    def render_voice_sample(
        self, voice: NamedVoice, owner: str | None = None, seconds: float = 0
    ) -> Path | None:
        """Return the file of a sentence that a trained voice says.

        InvalidRequest: it cannot speak.
        """
        [language, *_] = voice.languages
        spoken = find_language(language.partition("-")[0])
        text = spoken.sample if spoken else ""
        target = (
            self._make_cache_folder()
            / f"voice-{_make_digest(voice, voices.TITLES[voice.model], text)}.wav"
        )

        def say(folder: Path) -> None:
            self._speak_sample(voice.name, language, text, folder, target)
            self._forget_old()

        return self._make_file(target, say, owner, seconds)

    def say(self, name: str, language: str, text: str, target: Path) -> None:
        """Write ``text``, said by a voice, to the WAV file ``target``.

        InvalidRequest: it cannot be said.
        """
        with self._take_turn(self._turn) as folder:
            self._speak_sample(name, language, text, folder, target)

    def _speak_sample(
        self, name: str, language: str, text: str, folder: Path, target: Path
    ) -> None:
        spoken = (folder / "voice.wav").absolute()
        try:
            arguments = (*entry_points.list_arguments(Process.SAY), name, language, str(spoken))
            message = json.loads(_run_module(arguments, text.encode(), folder, _VOICE_SECONDS)).get(
                "wrong"
            )
        except (subprocess.TimeoutExpired, ValueError):
            message = "The voice did not answer."
        if message:
            self._refuse_field("voice", message)
        shutil.move(spoken, target)

    def find_sample(self, name: str) -> Path | None:
        """Return the path of a sample by its file name; None: there is none."""
        path = self._make_cache_folder() / name
        return (
            path
            if Path(name).name == name and name.startswith("sample-") and path.is_file()
            else None
        )

    def _build_presenter(self, avatar: dict[str, Any]) -> Presenter:
        looks = brief_builder.read_appearance(avatar["looks"])
        # an endpoint's or Piper's, which do not speak here
        if looks.get("speaker") not in voices.VOICES:
            looks["speaker"] = ""
        return Presenter(name=avatar["name"], portrait=avatar["portrait_file"] or "", **looks)

    def _make_file(
        self,
        target: Path,
        make: _Make,
        owner: str | None,
        seconds: float,
        turn: "threading.Lock | threading.Semaphore | None" = None,
    ) -> Path | None:
        """Return the file ``target``, which ``make`` writes if it is not there;
        None: it is being made beside the request.
        """
        return self._prepare_file(target, lambda: make, owner, seconds, turn)

    def _prepare_file(
        self,
        target: Path,
        prepare: Callable[[], _Make],
        owner: str | None,
        seconds: float,
        turn: "threading.Lock | threading.Semaphore | None" = None,
    ) -> Path | None:
        """Return the same as :meth:`_make_file`.

        ``prepare``: reads what the file is made of and returns what makes it; called in the
        request's thread, and only where there is room for another file.
        """

        def prepare_once() -> Callable[[], None]:
            make = prepare()

            def make_once() -> None:
                with self._take_turn(turn or self._turn) as folder:
                    if not target.exists():  # another one may have made it meanwhile
                        make(folder)

            return make_once

        if owner is not None:
            return target if self._jobs.ensure_made(owner, target, prepare_once, seconds) else None
        if not target.exists():
            prepare_once()()
        return target

    @contextmanager
    def _take_turn(
        self, turn: "threading.Lock | threading.Semaphore", waits: bool = True
    ) -> Iterator[Path]:
        """Take a turn and give a temporary folder.

        ServiceUnavailable: others are taking theirs, and nobody waits here.
        """
        if not turn.acquire(blocking=waits):
            raise ServiceUnavailable(
                "Another one is being handled. Try again in a few seconds.",
                retry_after=_RETRY_SECONDS,
            )
        try:
            with tempfile.TemporaryDirectory(dir=self._make_cache_folder()) as folder:
                yield Path(folder)
        finally:
            turn.release()

    def _make_cache_folder(self) -> Path:
        self._cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._cache

    def _run_child(self, kind: str, source: Path, target: Path) -> str | None:
        """Run the upload process, which writes ``target``; return an error message, or None."""
        seconds = _UPLOAD_SECONDS.get(kind, _PICTURE_SECONDS)
        try:
            arguments = (
                *entry_points.list_arguments(Process.UPLOAD),
                kind,
                str(source.absolute()),
                str(target.absolute()),
            )
            message: str | None = json.loads(
                _run_module(arguments, b"", source.parent, seconds)
            ).get("wrong")
            return message
        except (subprocess.TimeoutExpired, ValueError):
            return _TOO_MUCH[_name_upload_kind(kind)]

    def _refuse_field(self, field: str, sentence: str) -> None:
        raise InvalidRequest(sentence, fields={field: [sentence]})

    def _forget_old(self, folder: Path | None = None) -> None:
        """Remove all but the newest files of ``folder``; None: of pictures and samples."""
        files = []
        for path in (folder or self._cache).iterdir():
            with suppress(FileNotFoundError):  # another thread has just removed it
                if path.is_file():
                    files.append((path.stat().st_mtime, path))
        for _, path in sorted(files)[:-_KEPT]:
            path.unlink(missing_ok=True)


def _name_upload_kind(kind: str) -> str:
    return {"font": "font", "track": "music", "clip": "video"}.get(kind, "picture")


def _run_module(arguments: tuple[str, ...], stdin: bytes, folder: Path, seconds: float) -> bytes:
    """Run a module of this service at low priority and return its output. Processes that it started
    end with it.

    ``stdin``: its input. Raises subprocess.TimeoutExpired.
    """
    with subprocess.Popen(
        [sys.executable, "-P", *arguments],
        cwd=folder,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=confinement.make_environment(folder.absolute()),
    ) as process:
        try:
            confinement.lower_priority(process.pid)
            return process.communicate(stdin, seconds)[0]
        finally:
            # If none is left this fails, and macOS refuses where only a zombie is.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def _make_digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def _remove_cards(whole: str) -> str:
    """Return a script, in JSON, without its title and its close."""
    script = json.loads(whole)
    scenes = [scene for scene in script["scenes"] if scene["layout"] not in programme.CARDS]
    return json.dumps({**script, "scenes": scenes}, ensure_ascii=False)


def _make_brief(avatar: Presenter, language: str, text: str) -> VideoBrief:
    return VideoBrief(
        production_id=str(uuid.UUID(ids.NIL)),
        title=avatar.name,
        topic=avatar.name,
        language=language,
        country="US",
        metadata_md=text,
        avatar=avatar,
        renditions=(_RENDITION,),
        triggered_at=clock.format_time(0),
    )
