"""Each language of the table is spoken: one event a word, sound in every word,
a glyph for every letter.
"""

import itertools

import numpy
import pytest

from svc.base.text.languages import FURTHER, LANGUAGES, find_language, list_offered_languages
from svc.media import fonts
from svc.media.model import Presenter
from svc.media.speech import narration
from svc.media.speech.espeak import Espeak
from svc.media.voice import SpokenPassage

pytestmark = pytest.mark.slow

SENTENCES = {
    "en": "This short film shows how a small team builds a better product.",
    "en-GB": "This short film shows how a small team builds a better product.",
    "de": "Dieser kurze Film zeigt, wie ein kleines Team ein besseres Produkt baut.",
    "fr": "Ce petit film montre comment une équipe crée un meilleur produit.",
    "es": "Este breve vídeo muestra cómo un equipo pequeño crea un producto mejor.",
    "es-419": "Este breve video muestra cómo un equipo pequeño crea un producto mejor.",
    "it": "Questo breve filmato mostra come una piccola squadra crea un prodotto migliore.",
    "pt": "Este pequeno filme mostra como uma equipa cria um produto melhor.",
    "pt-BR": "Este pequeno filme mostra como uma equipe cria um produto melhor.",
    "ca": "Aquest vídeo curt mostra com un equip petit crea un producte millor.",
    "ro": "Acest scurt film arată cum o echipă mică creează un produs mai bun.",
    "nl": "Deze korte film laat zien hoe een klein team een beter product bouwt.",
    "sv": "Den här korta filmen visar hur ett litet team bygger en bättre produkt.",
    "nb": "Denne korte filmen viser hvordan et lite team bygger et bedre produkt.",
    "da": "Denne korte film viser, hvordan et lille hold bygger et bedre produkt.",
    "fi": "Tämä lyhyt elokuva näyttää, miten pieni ryhmä rakentaa paremman tuotteen.",
    "et": "See lühike film näitab, kuidas väike meeskond loob parema toote.",
    "hu": "Ez a rövid film bemutatja, hogyan készít egy kis csapat jobb terméket.",
    "lv": "Šī īsā filma parāda, kā maza komanda veido labāku produktu.",
    "lt": "Šis trumpas filmas rodo, kaip maža komanda kuria geresnį produktą.",
    "pl": "Ten krótki film pokazuje, jak mały zespół tworzy lepszy produkt.",
    "cs": "Tento krátký film ukazuje, jak malý tým vytváří lepší výrobek.",
    "sk": "Tento krátky film ukazuje, ako malý tím vytvára lepší výrobok.",
    "sl": "Ta kratki film prikazuje, kako majhna ekipa ustvari boljši izdelek.",
    "hr": "Ovaj kratki film pokazuje kako mali tim stvara bolji proizvod.",
    "sr": "Овај кратки филм показује како мали тим ствара бољи производ.",
    "mk": "Овој краток филм покажува како мал тим создава подобар производ.",
    "bg": "Този кратък филм показва как малък екип създава по-добър продукт.",
    "ru": "Этот короткий фильм показывает, как небольшая команда создаёт хороший продукт.",
    "uk": "Цей короткий фільм показує, як невелика команда створює кращий продукт.",
    "el": "Αυτή η μικρή ταινία δείχνει πώς μια ομάδα φτιάχνει καλύτερο προϊόν.",
    "tr": "Bu kısa film, küçük bir ekibin nasıl daha iyi ürün yaptığını gösteriyor.",
    "id": "Film pendek ini menunjukkan bagaimana tim kecil membuat produk yang lebih baik.",
    "ms": "Filem pendek ini menunjukkan bagaimana pasukan kecil membina produk yang lebih baik.",
    "vi": "Bộ phim ngắn này cho thấy một nhóm nhỏ tạo ra sản phẩm tốt hơn.",
    "sw": "Filamu hii fupi inaonyesha jinsi timu ndogo inavyotengeneza bidhaa bora.",
    "ar": "يعرض هذا الفيلم القصير كيف يبني فريق صغير منتجا أفضل.",
    "fa": "این فیلم کوتاه نشان می‌دهد که چگونه یک گروه کوچک محصول بهتری می‌سازد.",
    "ur": "یہ مختصر فلم دکھاتی ہے کہ ایک چھوٹی ٹیم بہتر مصنوعات کیسے بناتی ہے۔",
    "hi": "यह छोटी फिल्म दिखाती है कि एक छोटी टीम बेहतर उत्पाद कैसे बनाती है।",
}


def test_every_language_has_a_sentence_here():
    assert set(SENTENCES) == set(LANGUAGES)


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_a_language_is_spoken_word_by_word(code):
    sentence = SENTENCES[code]
    (utterance,) = Espeak().utter([SpokenPassage(tuple(sentence.split()))], code, Presenter("Ada"))
    assert [word for word, _ in utterance.words] == list(range(len(sentence.split())))
    cuts = [sample for _, sample in utterance.words]
    assert all(
        numpy.abs(part.astype(int)).max() > 1000
        for part in numpy.split(utterance.samples, cuts)[1:]
    )


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_words_start_within_100_ms_of_their_sound(code):
    """Nineteen of twenty, measured on the sound: each word stands between pauses,
    so that its onset can be told.
    """
    words = tuple(word.strip(".,،؟।۔") + "," for word in SENTENCES[code].split())
    ((samples, times),) = narration.speak([SpokenPassage(words)], code, Presenter("Ada"))
    loud = numpy.flatnonzero(numpy.abs(samples.astype(int)) > 500)
    onsets = [
        loud[0],
        *(after for before, after in itertools.pairwise(loud) if after - before > 0.08 * 48_000),
    ]
    errors = [min(abs(onset / 48_000 - start) for onset in onsets) for start, _ in times]
    assert numpy.percentile(errors, 95) < 0.1


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_a_language_has_its_glyphs(code):
    assert fonts.find_undrawable_characters(SENTENCES[code]) == ""


def test_a_region_falls_back_to_its_language():
    assert find_language("en-US").code == "en"
    assert find_language("PT-br").code == "pt-BR"


def test_a_language_that_failed_the_check_is_not_listed():
    assert [find_language(code) for code in ("af", "ka", "")] == [None] * 3
    assert {"he", "th", "ja", "zh", "ko"} <= set(FURTHER) and not set(FURTHER) & set(
        list_offered_languages()
    )


def test_directions_follow_scripts():
    listed = LANGUAGES | FURTHER
    assert {code for code, language in listed.items() if language.direction == "rtl"} == {
        "ar",
        "fa",
        "ur",
        "he",
    }
