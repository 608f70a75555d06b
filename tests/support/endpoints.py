"""A real HTTP server on this machine that imitates OpenAI's chat and speech endpoints,
as well and as badly as wanted.
"""

import io
import json
import re
import time
import wave
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anyascii import anyascii

from svc.media.model import Presenter
from svc.media.speech.espeak import Espeak
from svc.media.voice import SpokenPassage
from tests.support.serving import serving

GOOD = {
    "title": "How tea is made",
    "scenes": [
        {
            "heading": "",
            "narration": "Have you ever wondered what happens in the pot?",
            "points": [],
        },
        {
            "heading": "Two steps",
            "narration": "Tea needs two steps.",
            "points": ["Boil the water", "Pour it"],
        },
        {"heading": "Waiting", "narration": "Then it takes 4 minutes.", "points": []},
    ],
}


def chat(content: object, usage: tuple[int, int] = (1200, 300)) -> bytes:
    """An answer of the chat endpoint; ``content``: text, or what is made JSON."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    message = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    tokens = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return json.dumps(
        {"id": "chatcmpl-1", "object": "chat.completion", "choices": [message], "usage": tokens}
    ).encode()


def spoken(text: str, rate: int | None = None) -> bytes:
    """A WAV file of another voice that says ``text``; as a stream,
    its header does not know its length.
    """
    (utterance,) = Espeak().utter(
        [SpokenPassage(tuple(text.split()))], "en", Presenter("", "m3", 40, 150)
    )
    return wav(utterance.samples, rate or utterance.rate)


def wav(samples, rate: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(rate)
        made.writeframes(samples.tobytes())
    raw = file.getvalue()
    return raw[:4] + b"\xff\xff\xff\xff" + raw[8:40] + b"\xff\xff\xff\xff" + raw[44:]


class Endpoint:
    """``answers``: for each request in turn (the last one for all that follow) a function of the
    request's body that gives status, headers and body (bytes, or an iterable of bytes that is sent
    piece by piece). ``asked``: the requests."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._serving = serving(self._server)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        self._serving.__enter__()
        return self

    def __exit__(self, *failure):
        self._serving.__exit__(*failure)
        self._server.server_close()

    def _handler(self):
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append((self.path, dict(self.headers), body))
                answer = endpoint.answers[min(len(endpoint.asked), len(endpoint.answers)) - 1]
                status, headers, content = answer(body)
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    if isinstance(content, bytes):
                        self.send_header(
                            "Content-Length", headers.get("X-Length", str(len(content)))
                        )
                    else:
                        self.send_header("Connection", "close")
                        self.close_connection = True
                    self.end_headers()
                    for piece in [content] if isinstance(content, bytes) else content:
                        self.wfile.write(piece)
                        self.wfile.flush()
                except OSError:
                    pass  # the client would not hear more
                if "X-Length" in headers:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler


def says(content: object, usage: tuple[int, int] = (1200, 300)):
    return lambda _: (200, {"Content-Type": "application/json"}, chat(content, usage))


def speaks(body: dict):
    return 200, {"Content-Type": "audio/wav"}, spoken(body["input"])


def read_in_latin(text: str) -> str:
    """Japanese in Latin letters by which a voice makes sound of about the right length:
    two morae for each kanji.
    """
    latin = "".join(anyascii(sign).lower() + "ku" * ("一" <= sign <= "鿿") for sign in text)
    return latin[:1].upper() + latin[1:]  # before a small letter espeak-ng hears no full stop


def speaks_japanese(body: dict):
    """Answer with the sound of a voice that reads Japanese badly,
    but pauses where a good one does.
    """
    words = re.sub("([、。！？])", r"\1 ", body["input"]).split()
    (utterance,) = Espeak().utter(
        [SpokenPassage(tuple(map(read_in_latin, words)))], "id", Presenter("", words_per_minute=230)
    )
    return 200, {"Content-Type": "audio/wav"}, wav(utterance.samples, utterance.rate)


def fails(status: int, **headers: str):
    return lambda _: (
        status,
        headers,
        b'{"error": {"message": "Incorrect API key provided: sk-secret-1234"}}',
    )


def drips(_):
    """An answer that never ends: until the client hangs up."""

    def pieces():
        while True:
            yield b" "
            time.sleep(0.05)  # a server that is slow on purpose; the client must not wait for it

    return 200, {"Content-Type": "application/json"}, pieces()


def floods(_):
    return 200, {"Content-Type": "application/json"}, (b"x" * 65536 for _ in range(4000))


def hangs_up(_):
    return 200, {"Content-Type": "application/json", "X-Length": "100000"}, b'{"choices": ['
