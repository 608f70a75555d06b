"""The first and the last picture: the topic's illustration,
and an end card that is no second title card.
"""

from dataclasses import replace
from itertools import cycle, product

import numpy as np
import pytest
import segno
from media.layout_sweep import FIRST, LATER
from PIL import Image
from support.sampling import sampled

from svc.base.text import links
from svc.media.drawing.canvas import Canvas
from svc.media.model import NO_VISUAL, Presenter, Rendition, Scene, Script, VideoBrief, Visual
from svc.media.script.from_brief import write_script
from svc.media.video.scene import SceneRenderer

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
SQUARE, FEED = Rendition("square", 480, 480), Rendition("feed", 480, 600)
_LINK = "https://tides.example.org/learn"


def _cards(title: str, link: str, call: str = "") -> tuple[Scene, ...]:
    words, sights = (
        tuple(title.split()),
        {"title": NO_VISUAL, "close": Visual(text=call, note=link)},
    )
    first, last = (
        Scene(layout, title, (), words, words, "d", (len(words) - 1,), sights[layout])
        for layout in sights
    )
    return replace(first, illustration="water-wave" if title == "How tides work" else ""), last


HOSTED = ("scenes", "explainer")  # looks in which a presenter hosts the title
VOICE_ALONE = Presenter("Ada", figure="none")


def _renderer(
    shape=WIDE,
    link=_LINK,
    folder=None,
    topic="How tides work",
    call="",
    presenter=Presenter("Ada"),
    **settings,
) -> SceneRenderer:
    fields = {"account_name": "Demo channel", **settings}
    brief = VideoBrief("p", "How tides work", topic, "en", "US", "", presenter, (shape,), **fields)
    return SceneRenderer(brief, Script(topic, "en", _cards(topic, link, call)), shape, folder)


def _texts(renderer: SceneRenderer, scene: int):
    renderer.picture(scene)
    return renderer.drain_texts()


def test_a_title_card_shows_the_topic_as_a_picture():
    renderer = _renderer()
    assert renderer.script.scenes[0].illustration == "water-wave"
    picture = renderer.picture(0)
    other = _renderer(topic="Welcome").picture(0)
    blue = [(frame[..., 2] > 225) & (frame[..., 0] < 60) for frame in (picture, other)]
    assert blue[0].sum() > 1000 and blue[1].sum() < 100


@pytest.mark.slow
@pytest.mark.parametrize("shape", (WIDE, TALL, SQUARE, FEED), ids=lambda shape: shape.name)
@pytest.mark.parametrize("look", (*FIRST, *LATER))
def test_a_title_without_a_picture_is_larger_and_no_sooner_cut(look, shape):
    def drawn(topic: str) -> tuple[str, int]:
        texts = [
            text
            for text in _texts(
                _renderer(shape, link="", topic=topic, look=look, presenter=VOICE_ALONE), 0
            )
            if text.part == "title"
        ]
        return " ".join(text.text for text in texts), max(text.size for text in texts)

    usual = _renderer(shape, look=look, presenter=VOICE_ALONE).plan.sizes.title
    assert drawn("Welcome")[1] > 1.1 * usual >= drawn("How tides work")[1]
    long = (
        "What we have learned from the last ten years of meetings that might as well have been "
        "a letter"
    )
    text, size = drawn(long)
    assert text == long and size >= 0.5 * usual


def test_a_title_without_a_picture_is_not_torn_for_larger_type():
    renderer = _renderer(TALL, link="", topic="Πώς λειτουργεί η παλίρροια", look="short")
    assert [text.text for text in _texts(renderer, 0) if text.part == "title"] == [
        "Πώς λειτουργεί",
        "η παλίρροια",
    ]


@pytest.mark.parametrize(
    ("look", "shape"),
    sampled([*product(FIRST, (WIDE, TALL)), *zip(LATER, cycle((WIDE, TALL)), strict=False)], 2),
)
def test_an_end_card_names_the_account_and_the_link(look, shape):
    renderer = _renderer(shape, look=look)
    texts = _texts(renderer, 1)
    assert [text.text for text in texts if text.part == "title"][0].startswith("Demo")
    assert "".join(text.text for text in texts if text.part == "link") == "tides.example.org/learn"
    left, top, right, bottom = renderer.plan.content
    assert all(
        text.box[0] >= left - 1 and text.box[2] <= right + 1 and text.box[3] <= bottom + 4
        for text in texts
    )
    assert all(text.contrast >= 4.5 for text in texts)


@pytest.mark.parametrize(
    ("look", "shape"),
    sampled([*product(FIRST, (WIDE, TALL)), *product(LATER, (WIDE, SQUARE, FEED))], 6),
)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_call_to_action_is_a_button_on_the_end_card(look, shape, theme):
    renderer = _renderer(
        shape, look=look, theme=theme, call="Book a table by the harbour for tonight"
    )
    texts = _texts(renderer, 1)
    assert (
        " ".join(text.text for text in texts if text.part == "button")
        == "Book a table by the harbour for tonight"
    )
    left, top, right, bottom = renderer.plan.content
    assert all(
        text.box[0] >= left - 1 and text.box[2] <= right + 1 and text.box[3] <= bottom + 4
        for text in texts
    )
    assert all(text.contrast >= 4.5 and not text.missing for text in texts)


@pytest.mark.parametrize("shape", (WIDE, TALL, SQUARE, FEED), ids=lambda shape: shape.name)
@pytest.mark.parametrize("look", sampled([*FIRST, *LATER], 3))
def test_an_end_card_with_logo_button_and_link_cuts_none_of_them(look, shape, tmp_path):
    Image.new("RGB", (300, 100), "#1a2a6c").save(tmp_path / "logo.png")
    renderer = _renderer(
        shape, look=look, folder=tmp_path, logo="logo.png", call="More", account_name="Harbour"
    )
    texts = _texts(renderer, 1)
    foot = renderer.plan.content[3]
    assert {"title", "button"} <= {text.part for text in texts}
    assert all(text.box[3] <= foot + 1 for text in texts if text.part != "name")


@pytest.mark.parametrize(
    ("notes", "call"),
    [
        ("The kitchen opens at six.\n\n[Book a table](https://a.example/t)", "Book a table"),
        ("[Book a table](https://a.example/t)", "Book a table"),
        ("Text. [Book a table](https://a.example/t)", ""),
        ("[Book a table](https://a.example/t)\n\nMore text.", ""),
        ("[One](https://a.example/1) [Two](https://a.example/2)", ""),
        ("- [Book a table](https://a.example/t)", ""),
        ("[https://a.example/t](https://a.example/t)", ""),
        ("[Book a table](http://a.example/t)", ""),
        ("[Book a table](javascript:alert(1))", ""),
        ("[" + "x" * 41 + "](https://a.example/t)", ""),
        ("[**Book** a table](https://a.example/t)", ""),
        ("<b>Book</b>", ""),
        ("", ""),
    ],
)
def test_a_link_that_ends_the_notes_by_itself_is_a_call_to_action(notes, call):
    assert links.find_last(notes).call == call


def test_the_link_of_an_end_card_is_a_correct_qr_code():
    renderer = _renderer(Rendition("landscape", 1280, 720))
    left, top, right, bottom = renderer.plan.content
    half = np.asarray(Image.fromarray(renderer.picture(1)).convert("L"))[
        top:bottom, (left + right) // 2 : right
    ]
    white = np.argwhere(half > 250)
    (first, start), (last, end) = white.min(axis=0), white.max(axis=0)
    field = half[first : last + 1, start : end + 1]
    matrix = np.array([list(row) for row in segno.make_qr(_LINK, error="m").matrix], bool)
    module = len(field) // (len(matrix) + 8)
    at = [round((4 + number + 0.5) * module) for number in range(len(matrix))]
    assert module >= 3 and ((field[np.ix_(at, at)] < 128) == matrix).all()


def test_an_end_card_without_account_and_link_shows_the_title():
    renderer = _renderer(link="", account_name="")
    title = [text.text for text in _texts(renderer, 1) if text.part == "title"]
    assert " ".join(title) == "How tides work"


def test_a_logo_is_large_on_the_end_card(tmp_path):
    Image.new("RGB", (300, 100), "#ff00ff").save(tmp_path / "logo.png")
    renderer = _renderer(folder=tmp_path, logo="logo.png")
    title, end = (
        ((frame := renderer.picture(scene))[..., 0] > 240) & (frame[..., 1] < 20)
        for scene in (0, 1)
    )
    assert end.sum() > 2 * title.sum() > 0


@pytest.mark.parametrize(
    ("look", "shape"),
    sampled([*product(FIRST, (WIDE, TALL)), *zip(LATER, cycle((WIDE, TALL)), strict=False)], 2),
)
def test_a_poster_shows_title_and_picture_large(look, shape):
    presenter = VOICE_ALONE if look in HOSTED else Presenter("Ada")
    renderer, without = (
        _renderer(shape, look=look, presenter=presenter),
        _renderer(shape, look=look, topic="How it is done", presenter=presenter),
    )
    poster, frame, *plain = (
        renderer.draw_poster(),
        renderer.picture(0),
        without.draw_poster(),
        without.picture(0),
    )
    # the look's own, too
    blue = [
        int(((each[..., 2] > 225) & (each[..., 0] < 60)).sum()) for each in (poster, frame, *plain)
    ]
    larger = 0.9 if look == "scenes" else 1.3  # whose frames show it as large as there is room
    assert poster.shape == frame.shape and blue[0] - blue[2] > larger * (blue[1] - blue[3]) > 0


@pytest.mark.parametrize("shape", (WIDE, TALL))
def test_a_long_title_is_not_cut_for_its_picture(shape):
    title = (
        "The complete guide to data protection and privacy for small companies and clubs in 2026"
    )
    texts = [text.text for text in _texts(_renderer(shape, topic=title), 0) if text.part == "title"]
    assert " ".join(texts) == title


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ("Read https://a.example.com/x, then https://b.example.com.", "https://b.example.com"),
        ("[Docs](https://docs.example.com/start)", "https://docs.example.com/start"),
        ("Run `curl https://api.example.com` or\n```\nhttps://api.example.com/users\n```", ""),
        (
            (
                "http://plain.example.com https://127.0.0.1/x https://localhost/y "
                "https://u:p@example.com https://x.example:99/"
            ),
            "",
        ),
        ("https://" + "a" * 200 + ".example.com/", ""),
        (
            (
                "<!-- https://inside.example.com/ -->\n\n"
                "Hello <!-- https://inside.example.com/ --> you"
            ),
            "",
        ),
        ("---\nsandbox: {source: https://inside.example.com/x}\n---\nHello", ""),
        (
            (
                "~~[a](https://old.example.com)~~ and ~~https://old.example.com~~ "
                "<del>https://old.example.com</del>"
            ),
            "",
        ),
        ("![a](https://pictures.example.com/a.png) and [](https://empty.example.com)", ""),
        ("Hello.\n\n[a]: https://unused.example.com\n[^1]: https://unused.example.com", ""),
        (
            "See **https://a.example.com/x** or *<https://b.example.com/y>*.",
            "https://b.example.com/y",
        ),
        ("See **https://a.example.com/x**.", "https://a.example.com/x"),
        ("|a|\n|-|\n|https://a.example.com/x|", "https://a.example.com/x"),
        ("|https://a.example.com/x|", "https://a.example.com/x"),
        ("Hello https://a.example.com/~ada/~x_y_z", "https://a.example.com/~ada/~x_y_z"),
        ("Hello[^1].\n\n[^1]: https://a.example.com/~ada/~x_y_z", ""),
        ("[![a](https://pictures.example.com/a.png)](https://a.example.com)", ""),
    ],
)
def test_only_a_public_link_that_is_seen_becomes_a_code(notes, expected):
    brief = VideoBrief("p", "Tides", "Tides", "en", "US", notes, Presenter("Ada"), (WIDE,))
    assert write_script(brief).scenes[-1].sight.note == expected


@pytest.mark.parametrize(
    ("look", "shape"),
    sampled([*product(FIRST, (WIDE, TALL)), *zip(LATER, cycle((WIDE, TALL)), strict=False)], 2),
)
def test_an_accounts_latin_name_keeps_its_order_in_a_frame_from_right_to_left(
    look, shape, monkeypatch
):
    seen = []
    record = Canvas._record
    monkeypatch.setattr(
        Canvas, "_record", lambda canvas, line: (seen.append(line), record(canvas, line))
    )
    fields = {"account_name": "Harbour & Sons & Grandsons of Alexandria", "look": look}
    brief = VideoBrief("p", "المد", "المد", "ar", "EG", "", Presenter("Ada"), (shape,), **fields)
    SceneRenderer(brief, Script("المد", "ar", _cards("المد", "")), shape).picture(1)
    name = [line for line in seen if line.part == "title"]
    assert (
        " ".join(run.text for line in name for run in line.runs) == fields["account_name"]
        and len(name) > 1
    )
    assert all([run.x for run in line.runs] == sorted(run.x for run in line.runs) for line in name)


@pytest.mark.parametrize(
    "shape, look", sampled(product((WIDE, TALL, SQUARE, FEED), (*FIRST, *LATER)), 8)
)
def test_no_title_is_cut_however_long_it_is(look, shape):
    topic = (
        "The long story of tea and of those who drink it, from the hills of Yunnan to the "
        "harbours of Europe and its kitchens"
    )
    for title in (
        topic,
        "Donaudampfschifffahrtsgesellschaftskapitän " * 3,
        "Долгая история чая и тех, кто его пьёт, " * 3,
    ):
        card = _texts(_renderer(shape, link="", topic=title.strip(), look=look), 0)
        shown = "".join(text.text for text in card if text.part == "title")
        assert shown.replace(" ", "").replace("-", "") == title.replace(" ", "").replace("-", "")


@pytest.mark.parametrize("shape", (WIDE, TALL, SQUARE, FEED), ids=lambda shape: shape.name)
@pytest.mark.parametrize("look", HOSTED)
def test_a_long_title_has_the_whole_frame(look, shape):
    """Beside the host, one of three such words would be cut."""
    assert 0 in _renderer(shape, look=look, topic="tides " * 12).list_hosted_scenes()
    assert 0 not in _renderer(shape, look=look, topic="tides " * 15).list_hosted_scenes()


def test_a_long_title_is_left_out_of_the_end_card_rather_than_cut_or_tiny():
    for title, is_shown in (
        ("How tides work", True),
        ("How the tides of all the seas of the world work " * 5, False),
    ):
        close = _texts(_renderer(TALL, link="", topic=title.strip()), 1)
        assert any(text.text.startswith("How t") for text in close) is is_shown
