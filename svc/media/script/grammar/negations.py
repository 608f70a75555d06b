"""The words that turn a statement round, by language.

A phrase that drops one would say the opposite, or say as a fact what is only claimed, denied or supposed.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_ANY = re.compile(r"(?:n['’]t|cannot)$")
_WORDS = {
    "en": "no not never nor neither none nobody nothing nowhere without hardly scarcely rarely seldom barely cannot except "
    "unless lack lacks lacking fail fails failed false untrue unlike less fewer avoid prevents prevent stop stops "
    "stopped denied denies deny rejected rejects reject dismissed refused refuses refuse banned bans ban forbidden "
    "prohibited against warn warns beware wrongly illegal impossible unlikely",
    "de": "nicht nie niemals nichts niemand nirgends weder noch ohne kaum selten außer statt falsch "
    "kein keine keinen keinem keiner keines weniger gegen verboten verbot bestritt bestreitet abgelehnt ablehnt "
    "verweigert unmöglich fälschlich",
    "fr": "ne n non pas jamais rien personne aucun aucune ni sans nulle guère sauf faux moins contre interdit interdite "
    "refuse refusé rejeté nie impossible",
    "es": "no nunca jamás nada nadie ningún ninguno ninguna ni sin tampoco apenas salvo excepto falso menos contra prohibido "
    "prohíbe niega negó rechaza rechazó imposible",
    "it": "non no mai niente nulla nessuno nessuna nessun né senza neanche nemmeno tranne falso meno contro vietato nega "
    "negato respinto rifiutato impossibile",
    "pt": "não nunca jamais nada ninguém nenhum nenhuma nem sem tampouco exceto falso menos contra proibido nega negou "
    "rejeitou recusou impossível",
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
}
# Words of a condition, of a contrast, of what is only said or thought, or of what holds for some alone.
_TURNS = {
    "en": "would could might may if unless but only although though however myth myths claim claims claimed alleged allegedly "
    "accused supposedly reportedly rumour rumours rumor rumors hoax whether until",
    "de": "würde würden wäre wären hätte hätten könnte könnten dürfte wenn falls aber sondern nur obwohl obgleich doch mythos "
    "behauptet behaupten behauptete angeblich angebliche beschuldigt vorgeworfen gerücht soll sollen ob bis",
    "fr": "serait aurait pourrait pourraient devrait si mais seulement seul seuls seule seules quoique cependant mythe prétend "
    "prétendent prétendument présumé accusé accusée rumeur",
    "es": "sería habría podría podrían si pero sino solo sólo aunque mito afirma afirman supuesto supuesta supuestamente "
    "acusado acusada presunto presunta rumor",
    "it": "sarebbe avrebbe potrebbe potrebbero se ma solo soltanto sebbene benché però mito sostiene sostengono presunto "
    "presunta presumibilmente accusato accusata",
    "pt": "seria teria poderia poderiam se mas só somente apenas embora porém mito afirma afirmam alegado alegadamente suposto "
    "suposta acusado acusada boato",
    "ca": "seria hauria podria si però sinó només mite afirma suposat suposadament acusat",
    "ro": "ar dacă dar însă ci numai doar deși mit susține presupus acuzat",
    "nl": "zou zouden kon als indien maar alleen slechts hoewel mythe beweert beweren vermeend beschuldigd gerucht",
    "sv": "skulle kunde om men bara endast myt påstår påstås påstådda anklagad anklagades rykte",
    "nb": "ville kunne hvis men bare kun myte hevder påstår angivelig anklaget rykte",
    "da": "ville kunne hvis men kun bare myte hævder påstår angiveligt anklaget rygte",
    "fi": "jos mutta vaan vain vaikka myytti väittää väittävät väitetty syytetty voisi olisi",
    "et": "kui kuid aga vaid ainult ehkki müüt väidab väidavad väidetav süüdistatud võiks oleks",
    "hu": "ha de hanem csak bár mítosz állítja állítják állítólag vádolt volna",
    "lv": "ja bet tikai mīts apgalvo apsūdzēts būtu",
    "lt": "jei bet tik nors mitas teigia tariamai kaltinamas būtų",
    "pl": "jeśli jeżeli gdyby ale lecz tylko choć chociaż mit twierdzi twierdzą rzekomo rzekomy oskarżony byłby mógłby",
    "cs": "jestli pokud kdyby ale jen pouze ačkoli mýtus tvrdí údajně údajný obviněn obviněný by",
    "sk": "ak keby ale iba len hoci mýtus tvrdí údajne údajný obvinený by",
    "sl": "če ampak toda vendar le samo čeprav mit trdi trdijo domnevno obtožen bi",
    "hr": "ako ali nego samo iako mit tvrdi tvrde navodno navodni optužen bi",
    "sr": "ако али него само иако мит тврди тврде наводно оптужен би",
    "mk": "ако но туку само иако мит тврди наводно обвинет би",
    "bg": "ако но ала само макар мит твърди твърдят уж обвинен би",
    "ru": "если но лишь только хотя миф утверждает утверждают якобы обвинён обвинен бы",
    "uk": "якщо але лише тільки хоча міф стверджує стверджують нібито звинувачений би б",
    "el": "αν εάν αλλά μόνο μύθος ισχυρίζεται ισχυρίζονται δήθεν κατηγορούμενος",
    "tr": "eğer ama fakat ancak yalnızca sadece rağmen efsane iddia sözde suçlanan",
    "id": "jika kalau tetapi tapi namun hanya meskipun mitos mengklaim konon diduga dituduh",
    "ms": "jika kalau tetapi tapi namun hanya walaupun mitos mendakwa kononnya didakwa dituduh",
    "vi": "nếu nhưng chỉ",
    "sw": "kama ikiwa lakini bali tu ingawa hadithi anadai wanadai eti",
    "ar": "إذا لو إن لكن بل فقط رغم خرافة يزعم تزعم يدعي متهم",
    "fa": "اگر اما ولی بلکه فقط تنها گرچه افسانه مدعی ادعا متهم",
    "ur": "اگر لیکن مگر بلکہ صرف اگرچہ دعویٰ مبینہ ملزم",
    "hi": "अगर यदि लेकिन मगर बल्कि केवल सिर्फ़ हालाँकि मिथक दावा कथित आरोपी",
}
# Words of what is no longer so: "früher kostete es 5 Euro" says nothing about today.
_FORMER = {
    "en": "formerly previously originally erstwhile",
    "de": "früher ehemals einst einstmals vormals bisher damals ursprünglich",
    "fr": "autrefois jadis auparavant anciennement initialement avant",
    "es": "antes antiguamente anteriormente solía solían solíamos antaño",
    "it": "precedentemente anticamente originariamente prima",
    "pt": "antes antigamente anteriormente costumava costumavam outrora",
    "ca": "abans antigament anteriorment solia",
    "ro": "înainte odinioară anterior cândva",
    "nl": "vroeger voorheen eerder destijds oorspronkelijk",
    "sv": "tidigare förr förut ursprungligen",
    "nb": "tidligere før opprinnelig",
    "da": "tidligere før førhen oprindeligt",
    "fi": "aiemmin aikaisemmin ennen alun",
    "et": "varem enne algselt",
    "hu": "korábban régen azelőtt eredetileg",
    "lv": "agrāk senāk",
    "lt": "anksčiau seniau",
    "pl": "dawniej kiedyś wcześniej niegdyś uprzednio",
    "cs": "dříve kdysi předtím původně",
    "sk": "predtým kedysi pôvodne",
    "sl": "prej nekoč prvotno",
    "hr": "prije nekad nekada ranije izvorno",
    "sr": "пре некад некада раније",
    "mk": "порано некогаш",
    "bg": "преди някога по-рано",
    "ru": "раньше прежде ранее когда-то бывало",
    "uk": "раніше колись колишній",
    "el": "παλιά παλαιότερα προηγουμένως κάποτε πριν",
    "tr": "eskiden önceden önceleri",
    "id": "dulu dahulu dulunya sebelumnya",
    "ms": "dahulu dulu sebelumnya",
    "vi": "trước xưa",
    "sw": "zamani awali",
    "ar": "سابقا سابقًا قديما كان كانت كنا",
    "fa": "قبلا قبلاً سابقا سابقاً پیشتر پیش‌تر",
    "ur": "پہلے سابقہ",
    "hi": "पहले पूर्व",
}
_BEFORE_USED = frozenset((
    "is", "are", "was", "were", "be", "been", "being", "am", "get", "gets", "got", "getting", "become", "becomes", "became",
))  # fmt: skip
# Words that begin a clause about what went before: alone it would be about nothing.
_RELATIVES = {
    "en": "who whom whose which that",
    "de": "der die das dem den denen deren dessen welche welcher welches welchen welchem dass",
    "fr": "qui que qu'il qu'elle dont où lequel laquelle lesquels lesquelles",
    "es": "que quien quienes cuyo cuya cuyos cuyas",
    "it": "che cui chi",
    "pt": "que quem cujo cuja cujos cujas",
    "ca": "que qui",
    "ro": "care că",
    "nl": "die dat wie welke",
    "sv": "som vars att", "nb": "som at", "da": "som der at",
    "fi": "joka jotka jonka joiden että", "et": "kes mis et", "hu": "aki ami amely hogy", "lv": "kas kurš kura ka",
    "lt": "kuris kuri kurie kad", "pl": "który która które którzy że", "cs": "který která které kteří že",
    "sk": "ktorý ktorá ktoré ktorí že", "sl": "ki da", "hr": "koji koja koje da", "sr": "који која које да",
    "mk": "кој која кое кои дека", "bg": "който която което които че", "ru": "который которая которое которые что",
    "uk": "який яка яке які що", "el": "που οποίος οποία οποίο ότι", "id": "yang bahwa", "ms": "yang bahawa", "vi": "mà rằng",
    "ar": "الذي التي الذين أن", "fa": "که", "ur": "جو کہ", "hi": "जो कि",
}  # fmt: skip


def _sets(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in table.items()}


_SETS, _RELATIVE_SETS = _sets(_WORDS), _sets(_RELATIVES)
_TURN_SETS = _sets({language: f"{words} {_FORMER.get(language, '')}" for language, words in _TURNS.items()})
_VERB_PREFIXES = {"cs": "ne", "lv": "ne", "lt": "ne", "fa": "ن", "sw": "ha"}  # the negation is part of the verb
_WITHIN = {  # what a word that negates has within it, in languages of which no lists of words are kept
    "ja": "ない なく なかっ なけれ ません ず、 ずに 非 未 不 無", "zh": "不 没 沒 無 无 未 非 别 別 勿",
    "ko": "않 못 없 아니 아닌 안 말", "th": "ไม่ มิ ห้าม อย่า", "he": "לא אין אל בלי אינ",
}  # fmt: skip
_TURKISH = re.compile(r"\w+(?:m[aeıiuü]z|m[ae]d[ıi]|m[aeıiuü]yor|m[ae]y[ae]c[ae]k|m[ae]m[ae]l[ıi])\w*")


def is_negation(word: str, language: str) -> bool:
    """Return whether a word turns its statement round; in languages that negate by the verb's form, whether it may."""
    folded, base = word.casefold(), language.partition("-")[0]
    if folded in _SETS.get(base, ()) or (base == "en" and _ANY.search(folded)):
        return True
    if base == "fr" and folded.startswith(("n'", "n’")):
        return True
    if base in _WITHIN:
        return any(sign in folded for sign in _WITHIN[base].split(" "))
    if base == "tr":
        return _TURKISH.fullmatch(folded) is not None
    prefix = _VERB_PREFIXES.get(base)
    return prefix is not None and len(folded) > len(prefix) + 2 and folded.startswith(prefix)


def turns_all(word: str, language: str) -> bool:
    """Return whether a sentence with this word may say something else than any part of it: "if", "claims", "once"."""
    return word != "May" and word.casefold() in _TURN_SETS.get(language.partition("-")[0], ())


def is_of_the_past(words: Sequence[str], language: str) -> bool:
    """Return whether an English sentence says what "used to" be so; something that "is used to" do is another matter."""
    folded = [word.casefold() for word in words] if language.partition("-")[0] == "en" else []
    return any(pair == ("used", "to") and not {*folded[:at][-2:]} & _BEFORE_USED for at, pair in enumerate(pairwise(folded)))


def is_relative(word: str, language: str) -> bool:
    """Return whether ``word`` begins a clause about what went before it."""
    return word.casefold() in _RELATIVE_SETS.get(language.partition("-")[0], ())
