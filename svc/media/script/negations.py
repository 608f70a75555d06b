"""The words that turn a statement round, by language: a phrase that drops one would say the opposite."""

import re

_ANY = re.compile(r"(?:n['’]t|cannot)$")
_WORDS = {
    "en": "no not never nor neither none nobody nothing nowhere without hardly scarcely rarely seldom barely cannot except "
          "unless lack lacks lacking fail fails failed false untrue unlike less fewer avoid prevents prevent stop stops",
    "de": "nicht nie niemals nichts niemand nirgends weder noch ohne kaum selten außer statt falsch "
          "kein keine keinen keinem keiner keines weniger",
    "fr": "ne n non pas jamais rien personne aucun aucune ni sans nulle guère sauf faux moins",
    "es": "no nunca jamás nada nadie ningún ninguno ninguna ni sin tampoco apenas salvo excepto falso menos",
    "it": "non no mai niente nulla nessuno nessuna nessun né senza neanche nemmeno tranne falso meno",
    "pt": "não nunca jamais nada ninguém nenhum nenhuma nem sem tampouco exceto falso menos",
    "ca": "no mai res ningú cap ni sense tampoc excepte fals menys",
    "ro": "nu niciodată nimic nimeni niciun nicio nici fără decât fals mai puțin",
    "nl": "niet nooit niets niemand nergens geen noch zonder nauwelijks behalve onwaar minder",
    "sv": "inte ej icke aldrig inget inga ingen ingenting utan knappt falskt mindre",
    "nb": "ikke aldri intet ingen ingenting uten knapt unntatt falsk mindre",
    "da": "ikke aldrig intet ingen ingenting uden næppe undtagen falsk mindre",
    "fi": "ei en et emme ette eivät älä älkää ilman tuskin koskaan mikään kukaan vähemmän",
    "et": "ei ära pole mitte ilma kunagi keegi miski vaevalt vähem",
    "hu": "nem ne se sem sose soha nincs nincsenek nélkül semmi senki kivéve hamis kevésbé",
    "lv": "ne nav nekad nekas neviens bez nevis izņemot mazāk",
    "lt": "ne nėra niekada nieko niekas be nei išskyrus mažiau",
    "pl": "nie nigdy nic nikt żaden żadna żadne ani bez oprócz fałsz mniej brak",
    "cs": "ne není nejsou nikdy nic nikdo žádný žádná žádné ani bez kromě méně nelze",
    "sk": "nie nikdy nič nikto žiadny žiadna žiadne ani bez okrem menej nemožno",
    "sl": "ne ni niso nikoli nič nihče noben nobena niti brez razen manj nisem",
    "hr": "ne nije nisu nikad nikada ništa nitko nijedan nijedna niti bez osim manje nema",
    "sr": "не није нису никад никада ништа нико ниједан ниједна нити без осим мање нема",
    "mk": "не никогаш ништо никој ниту без освен помалку нема",
    "bg": "не никога нищо никой нито без освен по-малко няма",
    "ru": "не ни нет никогда ничего никто нельзя никакой без кроме меньше",
    "uk": "не ні немає ніколи нічого ніхто жоден без крім менше неможна",
    "el": "δεν δε μη μην όχι ποτέ τίποτα κανείς κανένας καμία ούτε χωρίς εκτός λιγότερο",
    "tr": "değil yok hiç hiçbir asla ne olmadan hariç daha az",
    "id": "tidak bukan jangan belum tanpa tak kecuali kurang tiada",
    "ms": "tidak bukan jangan belum tanpa tak kecuali kurang tiada",
    "vi": "không chẳng chưa đừng chớ chả trừ ít",
    "sw": "si sio siyo hapana bila kamwe hakuna hawa hata isipokuwa",
    "ar": "لا لم لن ليس ليست ما غير بدون دون إلا أبدا عدم",
    "fa": "نه نیست نیستند هیچ هرگز بدون بی نمی جز",
    "ur": "نہیں نہ مت بغیر کبھی بے",
    "hi": "नहीं न ना मत बिना कभी बगैर",
}  # fmt: skip
_SETS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_VERB_PREFIXES = {"cs": "ne", "lv": "ne", "lt": "ne", "fa": "ن", "sw": "ha"}  # the negation is part of the verb
_TURKISH = re.compile(r"\w+(?:m[aeıiuü]z|m[ae]d[ıi]|m[aeıiuü]yor|m[ae]y[ae]c[ae]k|m[ae]m[ae]l[ıi])\w*")


def is_negation(word: str, language: str) -> bool:
    """Return whether a word turns its statement round; in languages that negate by the verb's form, whether it may."""
    folded, base = word.casefold(), language.partition("-")[0]
    if folded in _SETS.get(base, ()) or (base == "en" and _ANY.search(folded)):
        return True
    if base == "fr" and folded.startswith(("n'", "n’")):
        return True
    if base == "tr":
        return _TURKISH.fullmatch(folded) is not None
    prefix = _VERB_PREFIXES.get(base)
    return prefix is not None and len(folded) > len(prefix) + 2 and folded.startswith(prefix)
