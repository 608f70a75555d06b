"""``python -m tests.torture.publishing --times 100``: places, with processes killed and connections
cut at random bytes.

For each kind of place a post is published again and again: the process is killed, or the connection
is cut, at a random byte, or the place answers with a refusal, half an answer, or nothing. Then it
is published once more. What is there twice, not there, not whole, or ended in the wrong state makes
the command end with 1. With ``--later`` posts are to be shown in an hour, at the kinds of places
that know a schedule.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import requests
from support import npm, places
from support.peertube import peertube
from support.places import Counterpart, MemoryUploadState, post_of, tools
from support.wordpress import wordpress
from support.youtube import Tube, reached_at, youtube

from svc.base import clock
from svc.platforms import PLACES, PublishError
from svc.platforms.connected import ConnectedPost

# a feed of this server has no exchange
DISTURBED = [name for name, place in PLACES.items() if not place.description.feed]
BIG = 400_000  # bytes of a video
# statuses after which nothing is tried again by itself
FINAL = {400, 401, 402, 403, 404, 413, 422, 507}
STATUSES = (401, 403, 404, 409, 413, 429, 500, 503)
ANSWERS = {
    **{
        str(
            status
        ): f"HTTP/1.1 {status} It\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        for status in STATUSES
    },
    "half an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
    "nothing": b"",
}


class FileUploadState(MemoryUploadState):
    """An upload state in a file, which the next process reads."""

    def __init__(self, file: Path, key: str, fails_at: float = float("inf")):
        super().__init__(
            key, json.loads(file.read_text()) if file.exists() else {}, fails_at=fails_at
        )
        self._file = file

    def save(self, session: dict) -> None:
        super().save(session)
        partial = self._file.with_suffix(".part")
        partial.write_text(json.dumps(session))
        partial.replace(self._file)

    def count_sent(self, number: int) -> None:
        self.sent += number
        if self.sent > self.fails_at:
            os.kill(os.getpid(), signal.SIGKILL)


class Gate:
    """Stands before a place: passes ``budget`` bytes of both directions on and cuts,
    or answers every request alike.
    """

    def __init__(self, host: str, port: int):
        self._target, self.budget, self.answer = (host, port), float("inf"), None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            near, _ = self._listening.accept()
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with contextlib.suppress(OSError), near:
            if self.answer is not None:
                near.recv(65536)
                near.sendall(self.answer)
                near.shutdown(socket.SHUT_WR)
                while near.recv(65536):  # so that the answer is not lost in a reset
                    pass
                return
            with socket.create_connection(self._target) as far:
                back = threading.Thread(target=self._pass, args=(far, near), daemon=True)
                back.start()
                self._pass(near, far)
                back.join()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(8192):
                self.budget -= len(piece)
                if self.budget < 0:
                    break
                sink.sendall(piece)
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR if self.budget < 0 else socket.SHUT_WR)


@contextlib.contextmanager
def running(
    connector: str, folder: Path
) -> Iterator[tuple[Counterpart, Callable[[ConnectedPost, str], list[str]]]]:
    """A place, and a function that says what is wrong with a post there; an empty list:
    it is there once, and whole.
    """
    if connector == "Hook":
        with places.relay() as relay:
            yield relay.counterpart, lambda post, key: _at_relay(relay, post, key)
    elif connector == "Mastodon":
        with places.mastodon(folder) as there:
            yield there, lambda post, key: _at_mastodon(there, post)
    elif connector == "PeerTube":
        npm.install(folder)
        with peertube(folder / "tube", folder) as there:
            yield there, lambda post, key: _at_peertube(there, post, key)
    elif connector == "YouTube":
        with youtube() as tube:
            yield tube.counterpart, lambda post, key: _at_youtube(tube, post)
    elif connector == "WordPress":
        with wordpress(folder) as there:
            yield there, lambda post, key: _at_wordpress(there, post)
    else:
        made = {
            "S3": places.bucket,
            "WebDAV": lambda: places.webdav(folder),
            "SFTP": lambda: places.sftp(folder),
        }
        with made[connector]() as there:
            yield there, lambda post, key: _in_folder(there, post)


def _at_relay(relay: places.Relay, post: ConnectedPost, key: str) -> list[str]:
    known = [
        each
        for each, message in relay.posts.items()
        if message["productionId"] == post.production_id
    ]
    return [] if known == [key] else [f"the relay knows the post by {known}"]


def _show_waiting(there: Counterpart) -> None:
    """Let Mastodon show the statuses that wait for their time: it does when it lists them."""
    for waiting in json.loads(there.fetch("/api/v1/scheduled_statuses")):
        url, past = (
            f"{there.values['url']}/api/v1/scheduled_statuses/{waiting['id']}",
            clock.format_time(clock.now() - clock.MINUTE),
        )
        requests.put(
            url, json={"scheduled_at": past}, headers=places._MOCK_TOKEN, timeout=10
        ).raise_for_status()
    there.fetch("/api/v1/scheduled_statuses")


def _at_mastodon(there: Counterpart, post: ConnectedPost) -> list[str]:
    if post.publish_at:
        _show_waiting(there)
    own = json.loads(there.fetch("/api/v1/accounts/verify_credentials"))["id"]
    listed = json.loads(there.fetch(f"/api/v1/accounts/{own}/statuses?limit=40"))
    found = [each for each in listed if post.production_id in each["content"]]
    if len(found) != 1:
        return [f"there are {len(found)} statuses"]
    [media] = found[0]["media_attachments"]
    whole = hashlib.sha256(there.fetch(media["url"])).hexdigest() == post.video.sha256
    return [] if whole else ["the video is another one"]


def _at_peertube(there: Counterpart, post: ConnectedPost, key: str) -> list[str]:
    listed = json.loads(there.fetch("users/me/videos?count=10000"))["data"]
    found = [each["uuid"] for each in listed if each["name"] == post.title]
    if len(found) != 1:
        return [f"there are {len(found)} videos"]
    video = json.loads(there.fetch(f"videos/{found[0]}"))
    whole = hashlib.sha256(there.fetch(f"/static/{found[0]}.mp4")).hexdigest() == post.video.sha256
    return (
        []
        if whole and video["captions"] == ["de"] and video["thumbnail"]
        else ["the video or its captions are not whole"]
    )


def _at_youtube(tube: Tube, post: ConnectedPost) -> list[str]:
    found = [each for each, video in tube.videos.items() if video["snippet"]["title"] == post.title]
    if len(found) != 1:
        return [f"there are {len(found)} videos"]
    whole = hashlib.sha256(tube.contents[found[0]]).hexdigest() == post.video.sha256
    rest = list(tube.captions[found[0]]) == ["de"] and found[0] in tube.posters
    return [] if whole and rest else ["the video or what belongs to it is not whole"]


def _at_wordpress(there: Counterpart, post: ConnectedPost) -> list[str]:
    listed = json.loads(there.fetch(f"posts&status=any&context=edit&search={post.production_id}"))
    files = json.loads(there.fetch(f"media&context=edit&search={post.production_id}&per_page=100"))
    found = [each for each in listed if post.production_id in each["content"]["raw"]]
    if len(found) != 1 or len(files) != 3:
        return [f"there are {len(found)} posts and {len(files)} files"]
    [video] = [
        each["source_url"]
        for each in files
        if each["media_type"] == "file" and each["mime_type"] == "video/mp4"
    ]
    whole = hashlib.sha256(there.fetch(video)).hexdigest() == post.video.sha256
    return [] if whole and video in found[0]["content"]["raw"] else ["the video is another one"]


def _in_folder(there: Counterpart, post: ConnectedPost) -> list[str]:
    inside = f"{post.production_id}-{post.production_id}"
    wrong = []
    for file in post.files:
        with file.fetch() as path:
            if there.fetch(f"{inside}/{file.name}") != path.read_bytes():
                wrong.append(f"{file.name} is not whole")
    return wrong if there.fetch(f"{inside}/publication.json") else [*wrong, "there is no note"]


class Torture:
    """What is done to one kind of place.

    ``wrong``: sentences; ``done``: what was done how often.
    """

    def __init__(
        self,
        there: Counterpart,
        check: Callable,
        folder: Path,
        lots: random.Random,
        later: bool = False,
    ):
        self._there, self._check, self._folder, self._lots, self._later = (
            there,
            check,
            folder,
            lots,
            later,
        )
        self.done, self.wrong = Counter(), list[str]()
        url = urlsplit(
            there.values.get("url")
            or there.values.get("endpoint")
            or there.values.get("api")
            or f"sftp://{there.values['host']}:{there.values.get('port')}"
        )
        self._gate, self._place = Gate(url.hostname, url.port), PLACES[there.connector]
        if there.connector == "YouTube":
            self._place, self._moved = reached_at(f"http://127.0.0.1:{self._gate.port}"), {}
        elif "port" in there.values:
            self._moved = {"port": str(self._gate.port)}
        else:
            name = "url" if "url" in there.values else "endpoint"
            self._moved = {name: there.values[name].replace(str(url.port), str(self._gate.port))}

    def turn(self, number: int) -> None:
        """Disturb one post, publish it again undisturbed, and check it."""
        identifier = f"t{number:05}"
        post = replace(
            post_of(self._folder, BIG),
            production_id=identifier,
            title=identifier,
            text=f"Post {identifier}",
            publish_at=clock.now() + clock.HOUR if self._later else None,
        )
        key, upload_state = f"key-{identifier}", self._folder / f"{identifier}.json"
        answers = [] if self._there.connector == "SFTP" else [self._answered]
        for disturb in self._lots.sample(
            [self._killed, self._cut, *answers], k=self._lots.choice((1, 2))
        ):
            disturb(post, upload_state, key)
        self._gate.budget, self._gate.answer = float("inf"), None
        try:
            self._publish(post, FileUploadState(upload_state, key))
        except PublishError as failed:
            self.wrong.append(f"{identifier}: the last attempt failed: {failed.message}")
        self.wrong += [f"{identifier}: {each}" for each in self._check(post, key)]

    def _publish(self, post: ConnectedPost, upload_state: FileUploadState) -> None:
        connection = self._there.connection(**self._moved)
        self._place.publish(
            post, connection, upload_state, replace(tools(within=30.0), clock=clock.now)
        )

    def _killed(self, post: ConnectedPost, upload_state: Path, key: str) -> None:
        """Kill the process at a random byte; a hook, which sends no file,
        ends without its outcome being recorded.
        """
        self._gate.budget, self._gate.answer = float("inf"), None
        fails_at = self._lots.randrange(BIG)
        child = os.fork()
        if child == 0:
            # the place and the files are the parent's: the child must not take them down
            status = 1
            try:
                with contextlib.suppress(PublishError):
                    self._publish(post, FileUploadState(upload_state, key, fails_at))
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            self.wrong.append(f"{post.production_id}: the process that was to be killed failed")
        self.done["killed" if os.WIFSIGNALED(status) else "ran to its end, unrecorded"] += 1

    def _cut(self, post: ConnectedPost, upload_state: Path, key: str) -> None:
        small = self._there.connector == "Hook"
        self._gate.budget, self._gate.answer = (
            self._lots.randrange(2000 if small else BIG + 20_000),
            None,
        )
        self._expect(post, upload_state, key, "cut", True)

    def _answered(self, post: ConnectedPost, upload_state: Path, key: str) -> None:
        name = self._lots.choice(list(ANSWERS))
        self._gate.budget, self._gate.answer = float("inf"), ANSWERS[name]
        final = name.isdigit() and int(name) in FINAL
        self._expect(post, upload_state, key, name, not final)

    def _expect(
        self, post: ConnectedPost, upload_state: Path, key: str, name: str, retryable: bool
    ) -> None:
        """Publish, and note if that fails in another way than it should;
        it may also have got through.
        """
        try:
            self._publish(post, FileUploadState(upload_state, key))
            self.done[f"{name}, got through"] += 1
        except PublishError as failed:
            self.done[name] += 1
            if failed.retryable is not retryable:
                self.wrong.append(
                    f"{post.production_id}: after {name} it is retryable: {failed.retryable} "
                    f"({failed.message})"
                )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=100, help="posts for each kind of place")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--only", choices=DISTURBED, help="this kind of place alone")
    parser.add_argument(
        "--later", action="store_true", help="posts for later, at the kinds that know a schedule"
    )
    given = parser.parse_args()
    failed, kinds = False, [given.only] if given.only else DISTURBED
    for connector in [
        each for each in kinds if not given.later or PLACES[each].description.schedules
    ]:
        with (
            tempfile.TemporaryDirectory() as made,
            running(connector, Path(made)) as (there, check),
        ):
            files = Path(made, "files")
            files.mkdir()
            torture = Torture(
                there, check, files, random.Random(f"{given.seed} {connector}"), given.later
            )
            for number in range(given.times):
                torture.turn(number)
        print(
            (
                f"{connector}: {given.times} posts; {dict(torture.done)}; wrong: "
                f"{torture.wrong or 'nothing'}"
            ),
            flush=True,
        )
        failed |= bool(torture.wrong)
    print(f"seed {given.seed}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
