"""Leaves of a calendar and clocks: shown of the day and the time that a sentence names, with that
sentence alone, and of nothing that may be another number.
"""

from dataclasses import replace

import numpy as np
import pytest

from svc.media.artwork import collection, draw, moments
from svc.media.artwork.moments import is_moment
from svc.media.drawing import looks
from svc.media.model import Presenter, Rendition, Scene, SceneEdit, VideoBrief
from svc.media.pictures.moment_pictures import list_moments
from svc.media.script import from_brief, revision
from svc.media.slides import framings
from svc.media.text import tokens
from svc.media.video.scene import SceneRenderer

SHAPE = Rendition("landscape", 480, 270)
# "|" parts the languages' texts from the names of the pictures.
NAMED = """
en|The picnic is on 23 May 2026 at 7.30 pm, bring a chair.|calendar:23 clock:1930
en|Doors open at 19:30 on Friday, 5 June.|calendar:5 clock:1930
en|It begins on May 23 at noon.|calendar:23
en|We met on June 3rd.|calendar:3
en|The leap day is 29 February, of course.|calendar:29
en|The meeting is at 12 am and lasts long.|clock:0000
en|The meeting is at 12 pm and lasts long.|clock:1200
en|The train leaves at 18:05 from platform 2.|clock:1805
de|Wir treffen uns am 5. Mai um 14:30 Uhr.|calendar:5 clock:1430
de|Wir treffen uns am 23.8. am Tor.|calendar:23
de|Die Tür öffnet um 18 Uhr.|clock:1800
fr|Le 1er juin, à 18h30.|calendar:1 clock:1830
fr|Rendez-vous à 9 h devant la gare.|clock:0900
es|El 5 de junio cerramos.|calendar:5
pt|No dia 23 de maio, às 19h30.|calendar:23 clock:1930
it|Il 2 giugno alle 10:30.|calendar:2 clock:1030
nl|Op 5 mei om 14.15 uur.|calendar:5 clock:1415
pl|Spotkanie 5 maja o godz. 18.30.|calendar:5 clock:1830
hu|A bolt május 24. óta zárva.|calendar:24
ru|23 мая в 18:30 мы начинаем.|calendar:23 clock:1830
uk|Зустріч 5 червня о 19:00.|calendar:5 clock:1900
cs|Sejdeme se 5. května v 18:30.|calendar:5 clock:1830
da|Den 5. juni kl. 14.30.|calendar:5 clock:1430
sv|Fredag den 5 juni kl. 18.30.|calendar:5 clock:1830
fi|Perjantaina 5. kesäkuuta.|calendar:5
el|Στις 5 Ιουνίου στις 18:30.|calendar:5 clock:1830
ro|Pe 5 iunie la ora 18:30.|calendar:5 clock:1830
tr|23 Mayıs Cuma günü.|calendar:23
ja|5月23日の午後に始まります。|calendar:23
ar|يوم 23 مايو في المدرسة.|calendar:23
hi|बैठक 5 जून को सुबह 10:30 बजे है।|calendar:5 clock:1030
en|Doors open from 18:30.|clock:1830
en|On 5 May we meet in Park Street.|calendar:5
en|The fair is on 5 May, Main Street is closed.|calendar:5
en|The rescheduled meeting is on 12 June.|calendar:12
de|Am 5. Mai spielt Anna im Park.|calendar:5
fr|Le cours est à 9 h du matin.|clock:0900
fr|À partir de 18h30, le bar est ouvert.|clock:1830
fr|Le 5 mai, la rue est fermée.|calendar:5
it|Il 25 aprile siamo in piazza.|calendar:25
hu|A koncert május 24-én lesz.|calendar:24
pl|Spotkanie 3 maja przy ulicy Długiej.|calendar:3
ru|Парад 9 мая пройдёт на улице Ленина.|calendar:9
nl|Op 5 mei is de straat dicht.|calendar:5
id|Rapat 17 Agustus di jalan utama.|calendar:17
"""
UNNAMED = """
fr|Fermés les 5 et 6 janvier, le service du soir reprend le jeudi 8 janvier.
fr|Livraison prévue entre le 15 et le 30 juin au lieu de fin avril.
it|Tra il 15 e il 30 giugno siamo chiusi.
en|Closed on 3 and 4 May, open again on 6 May.
hi|सुबह 9 से शाम 6 बजे तक फ़ोन करें।
en|He was born on 29 February 1960.
en|The job moved from 12:00 UTC to 18:00 UTC.
en|Meeting of the committee, 2018-02-07
fr|L'ordonnance du 22 septembre 2017 relative au travail.
en|It is held on November 7th & 8th.
es|Escrito el 21 de diciembre de 2020 por dos autores.
en|In May 23 children came to the farm.
en|Open from 10 am to 4 pm.
en|John 3:16 is read aloud.
en|The ratio is 1:20 by weight.
en|We won 3:10 at home.
en|The score was 7:30 to us.
en|On 3 or 4 May we travel.
en|From 3 to 5 May we travel.
en|On 3 May we leave, and on 9 May we are back.
en|May 5 people come in?
en|On 31 February nothing happens.
en|Version 3.5 came out in 2024.
en|The dose is 2.30 mg a day.
en|Chapter 5, March of the Penguins.
en|Call 10 august members of the board.
de|Im Mai 23 Kinder zu betreuen, war viel.
de|Das Verhältnis ist 3:1.
de|Zwischen 10 und 13 Uhr ist offen.
fr|À 14 h 30 nous partons.
en|We live in 12 May Street.
en|The parade goes down 4th of July Street.
en|The 7 October attacks were remembered.
en|The 25 December issue sold out.
en|Walk along Rue du 8 mai.
de|Die Straße des 17. Juni ist gesperrt.
de|Der Platz des 4. Juli liegt in Zehlendorf.
fr|Place du 11 novembre, on attend le bus.
fr|La rue du 8 mai est fermée.
es|La calle 2 de Mayo está cerrada.
es|La plaza del 2 de mayo está llena.
it|Via 25 Aprile è chiusa.
pt|A ponte 25 de Abril liga as margens.
nl|Plein 1 mei is vol.
pl|Mieszkam przy ulicy 3 Maja.
cs|Náměstí 28. října je plné.
ru|Улица 8 Марта закрыта.
uk|Вулиця 1 Травня закрита.
ro|Strada 1 Decembrie este lungă.
hu|A március 15. tér zárva van.
hu|Az október 6. utca hosszú.
tr|19 Mayıs Caddesi uzun.
el|Η οδός 28 Οκτωβρίου είναι κλειστή.
ar|شارع 26 يوليو مغلق.
id|Jalan 17 Agustus ditutup.
en|The concert on 3 June has been called off.
en|The concert was cancelled on 3 June.
en|The 7.30 pm show is postponed.
de|Das Konzert am 5. Mai fällt leider aus.
fr|Le concert du 3 juin est annulé.
es|La reunión del 3 de junio se cancela.
it|Il concerto del 3 giugno è annullato.
pt|O concerto de 3 de junho foi cancelado.
nl|Het concert van 3 juni is afgelast.
pl|Koncert 3 czerwca został odwołany.
cs|Koncert 3. června je zrušen.
ru|Концерт 3 июня отменён.
uk|Концерт 3 червня скасовано.
hu|A koncert június 3-án elmarad.
tr|3 Haziran konseri iptal edildi.
el|Η συναυλία στις 3 Ιουνίου ακυρώθηκε.
sv|Konserten den 3 juni är inställd.
da|Koncerten den 3. juni er aflyst.
fi|Konsertti 3. kesäkuuta on peruttu.
ja|5月5日の会議は中止です。
sr|Концерт 3. јуна је отказан.
sr|Koncert 3. juna je otkazan.
ko|5월 23일 회의는 취소되었습니다.
ar|ألغي حفل 3 يونيو.
hi|5 जून की बैठक रद्द है।
id|Konser 3 Juni dibatalkan.
ja|5月5日から9日に続きます。
en|Read Matthew 18:20 aloud.
es|Salmo 23:15 nos guía.
en|A ratio of 16:10 is wide.
de|Ein Verhältnis von 16:10.
en|Mix it at 1:20 by weight.
en|Set the oven to 18:30.
en|The film lasts 14:30 minutes.
de|Das Spiel endete 21:15.
fr|Le film dure 2h30.
fr|Il faut 3 h de route.
fr|Nous sommes à 2 h de Paris.
pt|Fica a 2h30 de Lisboa.
en|It's quarter to 8 pm.
en|At half past 7 pm we leave.
de|Wir treffen uns um halb 8 Uhr.
de|Wir treffen uns um Viertel vor 8 Uhr.
nl|We beginnen om half 8 uur.
fr|Représentations les ven. 7, sam. 8 et dim. 9 mars à 20h30 (dim. 16h).
de|Wir spielen am Fr. 7., Sa. 8. und So. 9. März im Saal.
es|Abrimos vie. 7, sáb. 8 y dom. 9 de marzo en la plaza.
en|We meet on 5/6/2026.
th|วันที่ 5 พฤษภาคม 2488 สงครามจบ
fa|در ۵ ژوئن ۱۹۴۵ تمام شد.
hu|1945. május 5-én véget ért.
ko|1945년 5월 5일에 끝났다.
lv|1945. gada 5. maijā beidzās karš.
"""


def words_of(text: str, language: str) -> list[str]:
    return [token.written for token in tokens.tokenize_text(text, language)]


def rows(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().splitlines()]


@pytest.mark.parametrize("language, text, names", rows(NAMED))
def test_the_day_and_the_time_that_a_sentence_names_have_pictures(language, text, names):
    assert list_moments(words_of(text, language), language) == tuple(names.split())


@pytest.mark.parametrize("language, text", rows(UNNAMED))
def test_what_may_be_another_number_or_several_moments_has_none(language, text):
    assert list_moments(words_of(text, language), language) == ()


def test_the_names_of_moments_are_those_that_can_be_drawn():
    good = ("calendar:1", "calendar:31", "clock:0000", "clock:2359")
    bad = ("calendar:0", "calendar:32", "calendar:05", "clock:2400", "clock:1260", "clock:12", "")
    for name in good:
        assert is_moment(name) and collection.has_picture(name) and collection.takes_colour(name)
    for name in bad:
        assert not is_moment(name) and not collection.has_picture(name)
        with pytest.raises(KeyError):
            moments.draw_moment(name, 32, "#000000")


@pytest.mark.parametrize("size", (16, 47, 128, 600))
def test_a_moment_is_drawn_in_every_size_and_in_the_brands_colour(size):
    for name in ("calendar:23", "clock:1930"):
        picture = np.asarray(draw.draw_picture(name, size, "#dc2626")).astype(int)
        assert picture.shape == (size, size, 4) and picture[..., 3].max() == 255
        red = (picture[..., 0] > 140) & (picture[..., 1] < 110) & (picture[..., 3] > 200)
        assert red.mean() > 0.05
        assert (picture[[0, -1], ::, 3] < 200).all()  # nothing is cut


def test_the_hands_of_a_clock_stand_where_they_belong():
    def ink(name: str) -> np.ndarray:
        picture = np.asarray(draw.draw_picture(name, 200, "#dc2626")).astype(int)
        return (picture[..., :3].max(axis=-1) < 90) & (picture[..., 3] > 200)

    three = ink("clock:0300")
    assert three[100, 115:134].all() and three[50:90, 100].all()  # to the right, and up
    half = ink("clock:0930")
    assert half[110:150, 100].all()  # down
    assert not half[50:90, 100].any()
    assert (ink("clock:1500") == three).all()  # a face of twelve hours


def brief(notes: str, look: str = "scenes", language: str = "en") -> VideoBrief:
    return VideoBrief(
        "p", "Notice", "Notice", language, "GB", notes, Presenter("Ada"), (SHAPE,), look=look
    )


NOTICE = (
    "The annual meeting is held on Friday 5 June at 7.30 pm. Members vote then, and on nothing "
    "else. Entries close on 31 March. Nothing can be sent in on 2 April. We used to meet on 9 May."
)


def scene_of(notes: str, **changes) -> Scene:
    script = from_brief.write_script(brief(notes, **changes))
    return next(scene for scene in script.scenes if scene.layout == "prose")


def test_each_moment_is_shown_with_its_own_sentence_and_a_denied_one_never():
    scene = scene_of(NOTICE)
    assert (scene.illustration, *scene.companions) == ("calendar:5", "clock:1930", "calendar:31")
    ends = [-1, *scene.sentence_ends]
    wanted = (["calendar:5", "clock:1930"], [], ["calendar:31"], [], [])
    shown = [
        framings.list_pictures_between(scene, first + 1, last + 1)
        for first, last in zip(ends, ends[1:], strict=False)
    ]
    assert shown == list(wanted)
    for framing in framings.list_framings(scene):
        if framing.kind == framings.PICTURES:
            assert framings.list_pictures_of(scene, framing)


def test_a_heading_that_is_said_moves_the_sentence_of_a_moment():
    scene = scene_of(f"## What comes\n\n{NOTICE}")
    first = scene.words[scene.pictured[0]]
    assert first == "The" and scene.words[scene.pictured[2]] == "Entries"


def test_other_pictures_go_before_and_a_film_with_all_its_text_has_none():
    ferry = "The new ferry sails to the island on 5 June. It is a ship with an electric engine."
    assert not is_moment(scene_of(f"## The ferry\n\n{ferry}").illustration)
    whole = replace(brief(NOTICE), full_text=True)
    scenes = from_brief.write_script(whole).scenes
    assert not any(is_moment(scene.illustration) for scene in scenes)


def test_other_looks_show_the_moment_of_the_sentence_that_they_show():
    scene = scene_of(NOTICE, look="explainer")
    said = ("Members vote then", "The annual meeting is held on Friday 5 June")
    shown = [framings.find_picture_of_phrase(replace(scene, key_phrase=phrase)) for phrase in said]
    assert shown == ["", "calendar:5"]
    ship = replace(scene, illustration="ship", key_phrase=said[0])
    assert framings.find_picture_of_phrase(ship) == "ship"


@pytest.mark.parametrize("look", sorted(looks.LOOKS))
def test_moments_are_drawn_in_every_look(look):
    script = from_brief.write_script(brief(NOTICE, look=look))
    drawn = SceneRenderer(brief(NOTICE, look=look), script, SHAPE)
    number = next(at for at, scene in enumerate(script.scenes) if scene.layout == "prose")
    plain = replace(script.scenes[number], illustration="", companions=(), pictured=())
    scenes = [plain if at == number else scene for at, scene in enumerate(script.scenes)]
    bare = SceneRenderer(brief(NOTICE, look=look), replace(script, scenes=tuple(scenes)), SHAPE)
    assert (drawn.picture(number, 0) != bare.picture(number, 0)).any()


def test_a_moment_follows_the_day_that_a_reviewer_writes():
    """The leaf of the old day stayed beside the new one; and a leaf that is asked for by name
    cannot say another day than the scene."""
    given = brief("The annual meeting is held on Friday 5 June.")
    script = from_brief.write_script(given)
    outline = [each for each in revision.outline_script(script) if each["narration"]]
    [meeting] = [each for each in outline if each["picture"].startswith("calendar")]

    def picture_of(narration: str, picture: str) -> str:
        edit = SceneEdit(meeting["scene"], "", narration, (), None, picture)
        edited = revision.revise_script(replace(given, edits=(edit,)), script)
        [scene] = [scene for scene in edited.scenes if scene.layout == "prose"]
        return scene.illustration

    narration = meeting["narration"]
    assert picture_of(narration, meeting["picture"]) == "calendar:5"
    later = narration.replace("5 June", "12 June")
    assert picture_of(later, meeting["picture"]) == "calendar:12"
    assert picture_of("The annual meeting is cancelled.", meeting["picture"]) == ""
    assert picture_of(later, "calendar:30") == "calendar:12"
    assert picture_of(later, "") == ""  # without a picture, as it was asked for


def test_a_moment_stands_beside_no_phrase_that_a_semicolon_parts_from_it(make_brief):
    text = (  # whose first part is too long to be shown
        "Die Turnhalle der alten Grundschule neben dem Rathaus am Markt ist für alle am Fluss und "
        "ihre Gäste ab heute um 20 Uhr als Notunterkunft geöffnet; Haustiere dürfen mit."
    )
    _, scene, _ = from_brief.write_script(
        make_brief(title="T", topic="T", metadata_md=text, language="de")
    ).scenes
    assert (scene.key_phrase, scene.illustration) == (
        "Haustiere dürfen mit",
        "clock:2000",
    )
    assert scene.apart == ("clock:2000",)
