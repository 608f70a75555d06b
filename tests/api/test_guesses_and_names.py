"""Guesses and names with a purpose: links that nobody was given,
and titles that would be headers or paths.
"""

import random

import pytest
from support.cast import body, refused
from support.stage import complete_steps, make, publish_all

from svc.domain.monitoring import metrics

GUESSES = 1000
# no %: it could make a slash
WORDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=."


@pytest.fixture
def publish(partner, clock, tmp_path):
    """Publish a production of this topic, with one file; the link to that."""

    def make_one(topic: str) -> str:
        production = body(partner.trigger(topic=topic))["productionId"]
        file = tmp_path / "data" / "media" / production / "transcript.txt"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"hello")
        complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
        publish_all(clock)
        [entry] = body(partner.get(f"/v1/productions/{production}/deliverables"))["data"]
        return entry["sasUrl"].removeprefix("http://localhost")

    return make_one


def guessed(link: str, chance: random.Random) -> str:
    """The link with one to three of its letters changed, or a piece of it left out,
    or of another link's making.
    """
    letters = list(link)
    for place in chance.sample(range(len("/files/"), len(link)), chance.randint(1, 3)):
        if letters[place] not in "?/&":
            letters[place] = chance.choice([each for each in WORDS if each != letters[place]])
    whole = "".join(letters)
    return (
        whole
        if chance.random() < 0.8
        else whole[: chance.randrange(whole.index("?") + 1, len(whole))]
    )


@pytest.mark.slow
def test_a_guesser_of_links_learns_nothing_however_often_and_is_counted(app, partner, publish):
    link, chance = publish("Tides"), random.Random(7)
    before, seen = counted(app), set()
    guesses = {guessed(link, chance) for _ in range(GUESSES)} - {link}
    for each in guesses:
        answer = partner.client.get(each)
        envelope = refused(answer, 403, "LINK_INVALID")
        envelope.pop("correlationId")
        seen.add((str(envelope), *sorted(name for name, _ in answer.headers)))
    assert len(guesses) > GUESSES * 0.9 and len(seen) == 1
    assert counted(app) - before == len(guesses)
    assert partner.client.get(link, buffered=True).data == b"hello"


def counted(app) -> int:
    """How many refused downloads the figures tell of."""
    metrics.flush()
    told = app.test_client().get("/metrics").get_data(as_text=True)
    lines = [
        line
        for line in told.splitlines()
        if line.startswith("svc_requests_total") and "/files/" in line
    ]
    return sum(round(float(line.rpartition(" ")[2])) for line in lines if "403" in line)


@pytest.mark.parametrize(
    "topic",
    [
        "Tides\r\nSet-Cookie: a=b\r\n\r\n<script>",
        "Tides\nX-Accel-Redirect: /_media/../secret",
        '"; filename="evil.exe',
        "../../etc/passwd",
        "..\\..\\boot.ini",
        "C:\\x",
        "a\u2028b\u0085c",
        "\u202egpj.exe",
        ".htaccess",
        "CON",
        "%0d%0aX-Evil: 1",
        "Größe 🎬; x=y",
        "-" * 50,
    ],
)
def test_a_title_is_no_header_no_path_and_no_other_kind_of_file(partner, publish, topic):
    answer = partner.client.get(publish(topic), buffered=True)
    assert (answer.status_code, answer.data) == (200, b"hello")
    names = {name.lower() for name, _ in answer.headers}
    assert not names & {"set-cookie", "x-evil", "x-accel-redirect"}
    said = answer.headers["Content-Disposition"]
    assert said.isascii() and said.isprintable() and said.startswith("attachment; filename")
    name = said.rpartition("=")[2].removeprefix("UTF-8''").strip('"')
    assert (
        name.endswith("-transcript.txt")
        and not set(name) & set("/\\:;\"'<> ")
        and not name.startswith(".")
    )
    assert (answer.mimetype, answer.headers["X-Content-Type-Options"]) == ("text/plain", "nosniff")
