"""Converts plain text that was pasted as Markdown into the Markdown that it looks like: lists,
lines that stay apart, tables.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import dropwhile, groupby, pairwise, takewhile
from operator import itemgetter

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
# The latter in Japanese; ●○○ and ■□□ are a number.
_BULLET = re.compile(r"^ {0,3}(?:[•◦▪‣●∙·▸►➤][ \t\u00a0]+|[・●■◆][ \u3000]*)(?=[^\s・●■◆○□◇])")
_SIGN = re.compile(r" {0,3}(?=(?:[✅☑✔✓❌✗✘➡→⇒⭐★☆👉👍🔹🔸🔵🔴🟢🟡⚡📌💡🎯]\ufe0f?)[ \t\u00a0]+\S)")
_DASH = re.compile(r" {0,3}–[ \t\u00a0]+(?=\S)")
# Those of an alphabet, by the first of which they count: a) Open, A. Nile, А) Нил, Α) Νείλος.
_ALPHABETS = (
    *("abcdefghij", "ABCDEFGHIJ", "абвгдежзик", "АБВГДЕЖЗИК", "αβγδεζηθ", "ΑΒΓΔΕΖΗΘ"),
    *("أبجدهوزحطي", "אבגדהוזחטי", "कखगघ", "กขคง", "가나다라마바사아", "アイウエオカキク"),
)
_LETTER = re.compile(rf" {{0,3}}(?=(?P<place>[a-zA-Z{''.join(_ALPHABETS[2:])}])[.)][ \t]+\S)")
# 1/ Open, 1- Open, 1.- Abrir, 1º Abrir, and without a space before a word with a capital: 1-Open.
_NUMBER = re.compile(
    r" {0,3}(?P<place>\d{1,2})(?:(?:[/°]|\.?º| ?\.?[-–])[ \t\u00a0]+(?=[^\W\d])|"
    r"\.?-(?=[^\W\d_a-zß-ÿ][^\W\d_]{2,}(?!-)\b))"
)
_WIDE_NUMBER = re.compile(
    r" {0,3}(?:(?P<place>[①-⑳])|[（(]?(?P<digits>\d{1,2})(?:[）、]|．(?!\d)))[ \u3000]*(?=\S)"
)
_KEYCAP = re.compile(r" {0,3}(?P<place>\d)\ufe0f?\u20e3[ \t\u00a0]*(?=\S)")  # 1️⃣ Open an account
_BULLETS, _NUMBERS = (_DASH, _SIGN, _LETTER), (_NUMBER, _WIDE_NUMBER, _KEYCAP)
# What begins a line that is no line of a paragraph: a mark of Markdown, unlike +44 1632 960123.
_MARK = re.compile(
    r" {0,3}(?:[->#|<=~`\[:]|\+(?!\d{1,3}[ (/.\d-])|\$(?!\d)|\*(?=[ \t]|$)|"
    r"\d{1,9}[.)](?:[ \t]|$))|[ \t]|$"
)
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
# Below a title of reStructuredText and of plain text; `~` would begin code, and others would be
# text.
_RULER = re.compile(r"([~^\"+*=])\1{3,}[ \t]*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_DELIMITERS = re.compile(r"[ \t|:-]+")
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}|(?:https?://|www\.)\S{1,255}")
_LABEL = re.compile(r"\**[^\W\d_][\w \u3000./&-]{0,24}[ \u00a0]?[:：]")  # Location: Room 4
# A wide colon has its space in itself: 日時：10月12日, 場　所： 中央公園.
_NAME = r"(?P<label>[^\W\d_][\w \u3000/&'’-]{1,24})[ \u00a0]?"
_WIDE, _SPACE = r"(?P<wide>：)", r"[ \u00a0]+"
_VALUE = r"(?P<value>[^\s|].*)"
_FIELD = re.compile(rf"{_NAME}(?::{_SPACE}|{_WIDE}[ \u00a0\u3000]*){_VALUE}")
_BOLD_FIELD = re.compile(
    rf"\*\*{_NAME}(?:(?:\*\*[ \u00a0]?:|[:：]\*\*){_SPACE}|\*\*{_WIDE}[ \u00a0\u3000]*){_VALUE}"
)
# A heading with a sign that begins points, too: ■ 手順
_SQUARE = re.compile(r" {0,3}(?P<sign>[■◆▼])[ \u3000]*(?P<words>[^\s■◆▼□◇].{0,39})")
_BRACKETED = re.compile(r" {0,3}(?P<sign>【)(?P<words>[^【】]{1,40})】\s*")
# A label of any kind and its value, which are lines of a programme or a price list:
# Gershwin – Summertime, £25 – a badge, 2 May → deadline, Juliet ...... Ada Vale
_PAIR = re.compile(
    r"(?P<label>[^\s–—→:：].{0,39}?)(?:[ \u00a0]*(?P<leader>\.{4,}|…{2,})[ \u00a0]*|"
    r"[ \u00a0](?P<arrow>→|⇒|➜|->|=>)[ \u00a0]|[ \u00a0]?[:：][ \u00a0]|[ \u00a0][–—-][ \u00a0])"
    r"(?P<value>[^\s].*)"
)
_FEWEST_PAIRS, _FEWEST_OF_CLAUSE = 3, 3  # lines; words
# Two columns as a word processor has them: Haircut⇥£30, Item 1⇥Welcome. After a colon, the tab
# is a space.
_COLUMNS = re.compile(r"(?P<label>[^\s\t][^\t]{0,59}?) ?\t+(?P<value>[^\s\t][^\t]*)")
_COLON_AND_TAB, _FEWEST_ROWS = re.compile(r"(?<=[:：])[ \u00a0]?\t+(?=\S)"), 2
# The amount or the time that begins a line: 500 g, ½ tsp, 18:15.
_COUNTED = re.compile(
    r" {0,3}(?:[~≈]|ca\. )?[\d¼-¾⅐-⅞][\d.,:/¼-¾⅐-⅞–-]*(?:[a-zA-Z]{1,3}\b)?\s+[^\W\d_]"
)
_MONEY = re.compile(r"\$(?=[ \u00a0]?\d)")
# Reasons for and against, whose marks both begin a list in Markdown, and the signs that are shown.
_REASON = re.compile(r"(?P<mark>[+-])[ \t]+(?=\S)")
_SIGNS_OF_REASONS = {"+": "➕", "-": "➖"}
# A point that begins with a number of its own: "- 2. OG". Markdown takes that for a list within.
_NUMBERED_POINT = re.compile(r"(?P<mark>[ \t]*[-*+][ \t]+)(?P<number>\d{1,3})(?P<dot>[.)])[ \t]+\S")
_POINT = re.compile(r" {0,3}[-*+][ \t]+\S")
# The price that ends a line: £5.50, 2,40 €/kg, R$ 12, 30 zł.
_CURRENCY = r"(?:[A-Z]{0,3}[$£€¥₹₽₺₴]|zł|Kč|kr|Ft|lei|Rs\.?|[A-Z]{3})"
_PRICED = re.compile(
    rf"\s(?:{_CURRENCY}[ \u00a0]?\d[\d.,]*|\d[\d.,]*[ \u00a0]?{_CURRENCY})(?: ?/ ?\w{{1,12}})?\s*$"
)
_LIST_MARK = re.compile(r"^ {0,3}([-*+])[ \t]")
_LONGEST_FIELD, _LONGEST_LABEL = 160, 3  # characters; words
# The title of a section with its number, and the fewest titles that show that they are some.
_NUMBERED_TITLE = re.compile(r"(?P<number>\d{1,2})[.)] +(?P<title>\S.{0,80})")
_FEWEST_TITLES = 2
# A number within a section, and the fewest letters of a title in capitals.
_SUBNUMBER = re.compile(
    r" {0,3}(?P<major>\d{1,2})\.(?P<minor>\d{1,2})\.?[ \t]+(?=[^\s\W]|[\"„“«])(?![a-zß-ÿ])"
)
_PLACE = re.compile(r"^ {0,3}[^\W\d_]\)[ \t]+")  # a) Bench
_FEWEST_CAPITALS = 5
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_EVEN = ("`", "$", "*", "**", "_")
_SENTENCE_ENDS = tuple(".!?:;…。！？：")
_WRAPPED = 60  # characters; a line that is as long may have been wrapped
# The characters at which prose is seldom wrapped, and how many times as long as its last line a
# stanza's lines may be.
_NARROW, _EVENLY = 45, 1.4
# The most characters of a question above its answer, and the fewest of them.
_LONGEST_QUESTION, _FEWEST_QUESTIONS, _ASKED = 90, 2, ("?", "？", "؟")
_FEW = 4  # words of a line of an address or of a signature
# The most words of a title above a paragraph, and the characters that it is narrower than that by.
_LONGEST_TITLE, _SLACK = 6, 12
# Words of four letters with which no title ends, as something has to follow them. Shorter ones do
# not end one in any case.
_LEANING = frozenset(
    word
    for line in (
        "also been both each else even ever from have here into just like more most much near once",
        "only onto over such than that them then they this upon very were what when will with your",
        "aber alle auch beim dein dass eine euer kein mein nach oder ohne sein sich sind über wenn",
        "avec chez dans dont elle leur mais pour sans sont sous tous tout vers",
        "ante bajo cada como este esta esto mais para pero pela pelo pues sino tras unas unos",
        "agli alla alle come dopo loro ogni sono tale",
        "deze door geen haar maar naar niet onze voor zijn",
        "albo oraz przy från inte över till icke için gibi koji kada zbog care prin spre sunt",
        "если есть лишь либо меня наши перед тоже",
    )
    for word in line.split()
)
# Words of up to three letters, and of scripts without capitals, with which no line ends whose
# sentence does. Other words as short do: "a walk by the sea", "I told her so".
_SHORT_LEANING = frozenset(
    word
    for line in (
        "a an as at by if in is my of on or to we the and for but nor its our his her are was "
        "has had can may who any per via",
        "am im zu um an ab es er der die das den dem des ein und mit von vom zum zur bei aus "
        "auf für als wie ist sie ihr wir nur bis vor ins ans hat man",
        "à au ce de du en et il la le ne ou où sa se un les des une aux est ses son mes mon nos "
        "vos par sur qui que ont ces cet car ils",
        "al el lo su te tu u y e o del los las una por con sin que sus son más muy han fue",
        "i di da ed ad si gli dei dal nel sul che non una tra fra suo sua più sui nei dai era alla",
        "ao os as da do em na um dos das uma com sem seu são nos nas aos até foi não",
        "te op om er het een van met bij aan uit dat hun tot ook",
        "w z u k s v o i ze we na po dla pod nad bez ale czy jak nie się ich ten jej pro ani při",
        "av og och att det som med för till ett var har men vid ved fra til hos kan der ska",
        "cel din cu și să pe sau mai az és egy nem bir ve ile ja on ei tai kun ali ili pri kod iza",
        "của cho với là một và các yang dan di ke",
        "а в и к о с у я во до за из ко на не но об от по со то для под над без при или что как "
        "его она они это был все вам вас наш та із зі що або як със във",
        "ο η το οι τα με σε ως ή να του της των τον την και στο στη από για που ένα μια σας μας",
        "في من إلى على عن أن إن التي الذي أو مع של את על עם אל או כי ה از به در و که با برای تا",
        "का की के ने और या কে এর ও",
    )
    for word in line.split()
)
# The particles and the words of Chinese, Japanese and Korean that something has to follow.
_WIDE_LEANING = (
    *"はがをにのとへやで",
    *"的在和与與及将將请請把被对對从從于於为為是或",
    *"을를의은는와과",
)
# The number of a question of a quiz, perhaps in bold, and the question: Question 1: Which river?
# Also 第1問：, 1. kérdés:, 2ª pergunta: and Question n° 1 :
_COUNTED_NAME = (
    r"(?P<label>(?P<name>[^\W\d_]{1,14})[ \u00a0]?(?:n?[.°º№#]+[ \u00a0]?)?(?P<number>\d{1,2})|"
    r"第?(?P<ordinal>\d{1,2})(?:[.ªº]|-?[^\W\d_]{1,2})?[ \u00a0]?"
    r"(?P<named>[^\W\d_]{3,14}|[問题題]))"
)
_COUNTED_QUESTION = re.compile(
    rf"[ \u00a0\u3000]{{0,3}}(?:\*\*)?{_COUNTED_NAME}"
    r"(?:\*\*)?(?P<mark>[ \u00a0]?(?:[:：.)]|[–—-](?=[* ])))(?:\*\*)?"
    r"(?P<space>[ \u00a0\u3000]*)(?:\*\*)?(?P<asked>[^\s*:：.)–—-].{2,90})"
)
# Before whose number a task may stand without a question mark: Question 2: Name the river.
_TASKS = frozenset(
    word
    for line in (
        "question task exercise frage aufgabe übung pregunta ejercicio domanda esercizio quesito",
        "pergunta questão exercício exercice tâche vraag opdracht oefening pytanie zadanie otázka",
        "úloha úkol kérdés feladat întrebare întrebarea exercițiu fråga uppgift spørsmål oppgave",
        "spørgsmål opgave kysymys tehtävä küsimus ülesanne jautājums uzdevums klausimas užduotis",
        "soru görev pitanje zadatak vprašanje naloga вопрос задание задача питання завдання въпрос",
        "прашање питање ερώτηση άσκηση سؤال سوال تمرین שאלה משימה प्रश्न câu pertanyaan soalan",
        "問 問題 题 问题 題 設問 문제 질문 과제",
    )
    for word in line.split()
)
_COUNTED_ALONE = re.compile(
    rf"\s{{0,3}}(?:\*\*)?{_COUNTED_NAME}[ \u00a0]?[:：.]?(?:\*\*)?[:：]?\s*"
)
# The fewest lines of a verse, and the marks at which its lines go on.
_FEWEST_LINES, _GOING_ON = 3, (",", ";", "—", "–", "…", "،", "、", "-")
# What stands between the facts of one line: 3 bedrooms · 2 bathrooms · 118 m². How many are a list,
# and the most characters of one.
_FACTS_APART, _FEWEST_FACTS, _LONGEST_FACT = re.compile(r" [·•∙] "), 3, 60
# The fewest characters at which a program wraps lines, so that narrower ones are no paragraph; in
# scripts without capitals fewer, as nothing else tells there that a line begins anew. The most
# words of what it leaves of a line that it wraps again. The shares of a poster's lines that begin
# with a capital or a figure, and that may go on.
_NARROWEST, _NARROWEST_WITHOUT_CAPITALS, _LONGEST_REST = 24, 16, 2
_LONGEST_WORD = 12  # letters that a word of a script without spaces has at most, as a rule
_MOST_OF_POSTER, _FEW_OF_POSTER = 0.6, 0.34
_DAY = re.compile(r" {0,3}(?:[2-9]|[1-3]\d)\. [^\W\d_]")
_ENDED = re.compile(r"[^\W\d_]{2}[.!?] ")  # a sentence within a line, after which another begins
_LONG_NUMBER = re.compile(r"\d(?:[ /().-]{0,2}\d){6}")  # of a telephone
_INITIALS = re.compile(r"[^\W\d_]\. ?[^\W\d_]\.[ *]*$")  # that end no sentence: e. V., S.A.
_QUOTED, _DASHES = re.compile(r" {0,3}> ?"), ("—", "–", "―", "--")
_LINE_BLOCK = re.compile(r" {0,3}\| ([^|]+)")  # of Pandoc: lines of verse after bars


def as_markdown(text: str) -> str:
    """Return ``text`` with the marks of Markdown that its author left out; fenced code and marked
    text stay.

    Reasons with ``+`` and ``-`` in one list get signs that tell them apart, and a number with which
    one point of several begins stays its text.

    Lines of bullets (``•``, ``–``, ``✅``), letters, ``1/`` and ``1️⃣`` become lists, as do
    paragraphs of one line with ``✅`` or ``1️⃣``, lines with tabs or bars tables, lines of a label
    and its value lists, and the short lines of an address or of questions and answers paragraphs.
    Lines with a ruler below them become headings.
    """
    return "\n".join(_convert_lines(text.split("\n")))


def _convert_lines(lines: list[str]) -> Iterator[str]:
    lines = _part_numbered_titles(_set_quiz(lines))
    _set_questions(lines)
    lines = _set_titles(lines)
    closing: re.Pattern[str] | None = None
    run: list[str] = []
    bullet = ""  # of the list that these are or became
    stanza: list[str] = []  # the same, if they are of a poem
    apart: tuple[re.Pattern[str], int] | None = None  # how points with empty lines between begin
    for number in range(len(lines)):
        if closing is None:
            _set_ruler(lines, number)
            _set_label(lines, number)
        line = lines[number]
        if not (closing or line.strip()):
            apart = _find_points_apart(run, lines[number + 1 : number + 3], apart)
            if apart is not None:
                continue
        opening = None if closing else _FENCE.match(line)
        if closing or opening or not line.strip():
            converted = _begin_list(run, _convert_run(run, stanza), bullet)
            if run:
                bullet = next(iter(_LIST_MARK.findall(converted[-1])), "")
            if run or opening:
                is_verse = _is_verse(run) or _continues_poem(run, stanza)
                stanza = run if is_verse and converted == _keep_breaks(run) else []
            yield from converted
            run, apart = [], None
            yield line
        else:
            run.append(line)
        if opening:
            closing = _close_fence(opening)
        elif closing and closing.fullmatch(line):
            closing = None
    yield from _begin_list(run, _convert_run(run, stanza), bullet)


def _begin_list(run: list[str], lines: list[str], bullet: str) -> list[str]:
    """Return ``lines`` with another bullet than the list above them if they are a list that ``run``
    became. Markdown would make one list of both: what introduces that one would introduce these."""
    other = "*" if bullet == "-" else "-"
    is_list = lines != run and all(line.startswith("- ") for line in lines)
    if not is_list or bullet not in ("-", "*"):
        return lines
    return [f"{other}{line[1:]}" for line in lines]


def _set_ruler(lines: list[str], number: int) -> None:
    """Give a title that begins at this line the ruler of Markdown below it, and none above it."""
    if not any(map(_RULER.fullmatch, lines[number + 1 : number + 3])):
        return
    has_two = bool(_RULER.fullmatch(lines[number]))
    title, below, after = (*lines[number + has_two : number + has_two + 3], "", "", "")[:3]
    is_apart = (number == 0 or not lines[number - 1].strip()) and not after.strip()
    if not is_apart or not title.strip() or title[0].isspace() or _RULER.fullmatch(title):
        return
    if not _RULER.fullmatch(below) or len(below.rstrip()) < len(title.rstrip()):
        return
    if has_two and lines[number].rstrip() != below.rstrip():
        return
    if has_two:
        lines[number] = ""
    if below[0] != "=":
        lines[number + has_two + 1] = "-" * len(below)


def _set_label(lines: list[str], number: int) -> None:
    """Set a heading in bold that a square or brackets mark, if it has a text or a list below it and
    is not itself a point of one."""
    match = _SQUARE.fullmatch(lines[number]) or _BRACKETED.fullmatch(lines[number])
    if match is None or match["words"].rstrip().endswith(_SENTENCE_ENDS):
        return
    above = next((lines[at] for at in range(number - 1, -1, -1) if lines[at].strip()), "")
    below = next((lines[at] for at in range(number + 1, len(lines)) if lines[at].strip()), "")
    signs = {line.lstrip()[:1] for line in (above, below)}
    is_point = number and all(
        map(_BULLET.match, (lines[number - 1], *lines[number + 1 : number + 2]))
    )
    if below and match["sign"] not in signs and not is_point and _is_whole(match["words"]):
        lines[number] = f"**{match['words'].strip()}**"


def _set_questions(lines: list[str]) -> None:
    """Set the questions in bold of which each begins a paragraph that answers it, or stands alone
    above one, as in a FAQ or an interview: two or more."""
    if any(map(_FENCE.match, lines)):
        return
    asked = [
        at
        for at, (before, line, following) in enumerate(
            zip(["", *lines], lines, _find_following(lines), strict=False)
        )
        if not before.strip() and _is_question(line) and _answers(following)
    ]
    if len(asked) >= _FEWEST_QUESTIONS:
        for at in asked:
            lines[at] = f"**{lines[at].strip()}**"


def _part_numbered_titles(lines: list[str]) -> list[str]:
    """Return ``lines`` with an empty one below each title of a section with its number (``3.
    Finance``), if the text of each begins right below it and they count on from 1. Markdown would
    take each text for a part of a point of one list."""
    widest = max(map(len, lines), default=0)
    titles = {
        at: int(match["number"])
        for at, (before, line, following) in enumerate(
            zip(["", *lines], lines, [*lines[1:], ""], strict=False)
        )
        if not before.strip()
        and (match := _NUMBERED_TITLE.fullmatch(line))
        and _is_section(match["title"].strip(), following)
        and _has_room(line, following, widest)
    }
    is_in_order = list(titles.values()) == list(range(1, len(titles) + 1))
    if len(titles) < _FEWEST_TITLES or not is_in_order or any(map(_FENCE.match, lines)):
        return lines
    return [
        part for at, line in enumerate(lines) for part in ([line, ""] if at in titles else [line])
    ]


def _is_section(title: str, following: str) -> bool:
    """Return whether a line stands above the first line of its section: it ends no sentence, and
    needs nothing after it."""
    return (
        0 < len(title) < _NARROW
        and not (title[0].islower() or title.endswith((*_SENTENCE_ENDS, *_GOING_ON)))
        and not _leans(title)
        and _is_whole_beside_money(title)
        and bool(following.strip())
        and not following[0].isspace()
        and (not following[0].islower() or _LETTER.match(following) is not None)
        and not _NUMBERED_TITLE.fullmatch(following)
    )


def _set_titles(lines: list[str]) -> list[str]:
    """Return ``lines`` with the titles of paragraphs in bold, each with an empty line below it, if
    there are several: a few words right above a sentence, as _is_title tells, or a question.

    Where lines have marks of headings, the others are none. Two titles alone show too little of how
    far the second one goes: they stay if another paragraph comes after its own.
    """
    if any(map(_FENCE.match, lines)) or any(map(_HEADING.match, lines)):
        return lines
    runs: list[tuple[int, list[str]]] = []
    for is_filled, group in groupby(enumerate(lines), key=lambda each: bool(each[1].strip())):
        numbered = list(group)
        if is_filled:
            runs.append((numbered[0][0], [line for _, line in numbered]))
    titles = [
        first
        for first, run in runs
        if len(run) > 1 and (_is_plain_title(run) or (_is_question(run[0]) and _answers(run[1])))
    ]
    asked = [first for first, run in runs if run[0].startswith("**") and run[0].endswith("?**")]
    is_last = bool(titles) and runs[-1][0] in (titles[-1], *asked)
    count = len(titles) + len(asked)
    if count < _FEWEST_TITLES or (count == _FEWEST_TITLES and not is_last):
        return lines
    at_titles = set(titles)
    return [
        part
        for at, line in enumerate(lines)
        for part in ([f"**{line.strip()}**", ""] if at in at_titles else [line])
    ]


def _is_plain_title(run: list[str]) -> bool:
    """Return whether the first line of a paragraph is its title, and all are text without marks."""
    title = run[0].strip()
    return (
        _is_title(run)
        and all(map(_is_whole_beside_money, run))
        and not any(map(_MARK.match, run))
        and not any(sign in title for sign in (":", "：", "*", "|", "\t"))
        and not (_PRICED.search(title) or _COUNTED.match(title) or _ADDRESS.search(title))
        and not (_is_verse(run) or _is_verse(run[1:]))
    )


def _set_quiz(lines: list[str]) -> list[str]:
    """Return ``lines`` with the questions of a quiz (``Question 1: Which river is the longest?``)
    in bold, each with its number and its own paragraph, if they count on. Those without an answer
    between them are the points of a list: what stands below the last one answers none of them."""
    joined = _join_quiz(lines)
    code = _find_code(joined)
    asked = {
        at: match
        for at, (line, below) in enumerate(pairwise([*joined, ""]))
        if (match := _match_quiz(line)) and at not in code and not _UNDERLINE.fullmatch(below)
    }
    following = _find_following(joined)
    answers = [_find_answer(following[at]) for at in asked]
    # "Answer: The Amazon." is a turn of a dialogue.
    if not _counts_on(list(asked.values())) or any(_LABEL.match(line.strip()) for line in answers):
        return lines
    is_list = not any(answers[:-1])
    result: list[str] = []
    for at, line in enumerate(joined):
        match = asked.get(at)
        if match is None:
            result.append(line)
            continue
        text = _write_question(match, is_title=not is_list)
        is_apart = is_list or not result or not result[-1].strip()
        result += [*([] if is_apart else [""]), f"- {text}" if is_list else f"**{text}**"]
        is_right_above = "".join(joined[at + 1 : at + 2]).strip()
        result += [""] if is_right_above and not (is_list and at + 1 in asked) else []
    return result


def _find_answer(line: str) -> str:
    """Return the line below a question if it begins an answer, which a further question and the
    heading of the next questions do not; empty if not."""
    return "" if _match_quiz(line) or _HEADING.match(line) else line


def _write_question(match: re.Match[str], is_title: bool) -> str:
    """Return a question with its number and a colon, which stays as it was written; the task of a
    title without its stop."""
    question, mark = match["asked"].strip().rstrip("*"), match["mark"]
    question = question.rstrip(".。") if is_title else question
    if mark.endswith("："):
        return f"{match['label']}{mark}{match['space']}{question}"
    return f"{match['label']}{mark if mark.endswith(':') else ':'} {question}"


def _join_quiz(lines: list[str]) -> list[str]:
    """Return ``lines`` with each number of a question and the question below it on one line."""
    joined: list[str] = []
    waiting: list[str] = []  # a number, and the empty lines below it
    code = _find_code(lines)
    for at, line in enumerate(lines):
        if at in code:
            joined += [*waiting, line]
            waiting = []
        elif waiting and not line.strip() and len(waiting) < _FEW:
            waiting.append(line)
        elif waiting and _is_question(line):
            joined.append(f"{waiting[0].strip().strip('*:：. ')}: {line.strip()}")
            waiting = []
        else:
            joined += waiting
            waiting = [line] if _COUNTED_ALONE.fullmatch(line) else []
            joined += [] if waiting else [line]
    return joined + waiting


def _find_code(lines: list[str]) -> set[int]:
    """Return the numbers of the lines of fenced code, with those of the fences."""
    found: set[int] = set()
    closing: re.Pattern[str] | None = None
    for at, line in enumerate(lines):
        opening = None if closing else _FENCE.match(line)
        if closing or opening:
            found.add(at)
        if opening:
            closing = _close_fence(opening)
        elif closing and closing.fullmatch(line):
            closing = None
    return found


def _close_fence(opening: re.Match[str]) -> re.Pattern[str]:
    return re.compile(rf" {{0,3}}{opening[1][0]}{{{len(opening[1])},}}[ \t]*")


def _match_quiz(line: str) -> re.Match[str] | None:
    """Return the number and the question of a line of a quiz, or its task after a word that says so
    (``Question 2: Name the river.``); None if it is anything else."""
    match = _COUNTED_QUESTION.fullmatch(line) if len(line) <= _LONGEST_FIELD else None
    if match is None:
        return None
    asked = match["asked"].strip().rstrip("*")
    is_named = (match["name"] or match["named"]).casefold() in _TASKS
    return match if _is_question(asked) or (is_named and _is_task(asked)) else None


def _is_task(text: str) -> bool:
    """Return whether ``text`` is one sentence of two words or more, or of a script without
    spaces."""
    is_sentence = len(text.split()) > 1 or not text.isascii()
    bare = text.rstrip(".!。！")
    return is_sentence and _is_question(f"{bare}?")


def _counts_on(matches: list[re.Match[str]]) -> bool:
    """Return whether two questions or more have the same name and numbers that count on."""
    names = {(match["name"] or match["named"]).casefold() for match in matches}
    numbers = [int(match["number"] or match["ordinal"]) for match in matches]
    is_in_order = all(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) >= _FEWEST_QUESTIONS and len(names) == 1 and is_in_order


def _find_following(lines: list[str]) -> list[str]:
    """Return for each line the next one with text; empty if there is none."""
    following, result = "", [""] * len(lines)
    for at in reversed(range(len(lines))):
        result[at] = following
        following = lines[at] if lines[at].strip() else following
    return result


def _is_question(line: str) -> bool:
    text = line.strip()
    return (
        text.endswith(_ASKED)
        and len(text) <= _LONGEST_QUESTION
        and not any(stop in text[:-1] for stop in (*_ASKED, ". ", "! ", "*", "。"))
        and not (_MARK.match(line) or _LABEL.match(line) or text.startswith(_DASHES))
        and _is_whole_beside_money(text)
    )


def _answers(line: str) -> bool:
    """Return whether a line below a question is the beginning of its answer, not a turn of a
    conversation or a further question."""
    text = line.strip()
    return bool(text) and not (
        _MARK.match(line)
        or _LABEL.match(line)
        or text.startswith(_DASHES)
        or text.endswith((*_ASKED, *_GOING_ON))
        or text[0].islower()
    )


def _find_points_apart(
    run: list[str], following: list[str], known: tuple[re.Pattern[str], int] | None
) -> tuple[re.Pattern[str], int] | None:
    """Return how lines begin, and their number with the next one, if each begins with a sign or a
    number in a box, and another one follows, as posts have them, with an empty line between each
    two; None if they are no such points. ``known``: the same of the lines that were examined
    before, which are not examined again."""
    if not (run and following) or "".join(following[1:2]).strip():
        return None
    for pattern in (known[0],) if known else (_SIGN, *_NUMBERS):
        examined = known[1] if known else 0
        fresh = [*run[examined:], following[0]]
        matches = [pattern.match(line) for line in fresh]
        is_list = all(matches) and _is_in_order(matches, examined)
        if is_list and (known or pattern is not _NUMBER or not _count_the_same(fresh)):
            return pattern, len(run) + 1
    return None


def _convert_run(run: list[str], stanza: list[str]) -> list[str]:
    """Return lines without an empty one among them as Markdown. ``stanza``: the lines
    before, if they are of a poem.
    """
    if headings := list(takewhile(_HEADING.match, run[:-1])):
        return [*headings, *_convert_run(run[len(headings) :], [])]
    if len(run) > 1 and all(map(_LINE_BLOCK.fullmatch, run)):
        return _keep_breaks([_LINE_BLOCK.sub(r"\1", line) for line in run])
    if run and all(map(_QUOTED.match, run)):
        return _keep_breaks_of_poem(run)
    if len(run) == 1 and (facts := _list_facts(run[0])):
        return facts
    run = [_BULLET.sub("- ", line) for line in run]
    run = _keep_own_numbers(_sign_reasons(run))
    for pattern in (*_BULLETS, *_NUMBERS):
        run = _mark_items(run, pattern)
    if (table := _convert_table(run)) is not None:
        return table
    if _continues_poem(run, stanza):
        return _keep_breaks(run)
    first_mark = next(
        (at for at, line in enumerate(run) if _MARK.match(line) and not (at and _is_day(line))),
        len(run),
    )
    if first_mark < len(run) and _UNDERLINE.fullmatch(run[first_mark]):
        return run
    return [*_list_fields(run[:first_mark]), *run[first_mark:]]


def _is_day(line: str) -> bool:
    """Return whether a line within a paragraph begins with a number that begins no list there, as
    Markdown lets only 1 begin one: ``12. Oktober``."""
    return _DAY.match(line) is not None


def _list_facts(line: str) -> list[str]:
    """Return the points of a paragraph that is a row of facts with dots between them; none if it is
    anything else: a sentence, or the ways to reach somebody, which stand together."""
    text = line.strip()
    is_bold = text.startswith("**") and text.endswith("**") and text.count("**") == 2
    facts = [fact.strip() for fact in _FACTS_APART.split(text[2:-2] if is_bold else text)]
    is_list = (
        len(facts) >= _FEWEST_FACTS
        and not _MARK.match(line)
        and all(0 < len(fact) <= _LONGEST_FACT for fact in facts)
        and not any(fact.endswith(_SENTENCE_ENDS) for fact in facts)
        and not any(fact.count(mark) % 2 for fact in facts for mark in ("**", "`", "_"))
        and not (_ADDRESS.search(text) or _LONG_NUMBER.search(text) or "](" in text)
    )
    return [f"- {fact}" for fact in facts] if is_list else []


def _sign_reasons(run: list[str]) -> list[str]:
    """Return a list whose points begin with ``+`` and with ``-`` with a sign in each."""
    marks = {match["mark"] for line in run if (match := _REASON.match(line))}
    if len(marks) < 2:
        return run
    return [
        _REASON.sub(f"- {_SIGNS_OF_REASONS[match['mark']]} ", line)
        if (match := _REASON.match(line))
        else line
        for line in run
    ]


def _keep_own_numbers(run: list[str]) -> list[str]:
    """Return a list with the numbers with which some of its points begin as text; where all do,
    they count the points."""
    points = [line for line in run if _POINT.match(line)]
    if len(points) > 1 and all(map(_NUMBERED_POINT.match, points)):
        return run
    return [
        f"{line[: match.end('number')]}\\{line[match.end('number') :]}"
        if (match := _NUMBERED_POINT.match(line))
        else line
        for line in run
    ]


def _list_fields(run: list[str]) -> list[str]:
    """Return lines of which two or more in a row are a label and its value (``When: …``) with those
    as a list.
    """
    parts: list[list[str]] = [[]]  # of ordinary lines, and lists between them
    run = [_COLON_AND_TAB.sub(" ", part) for line in run for part in _part_fields(line)]
    joined = _join_fields(run)
    columns = _find_columns(joined)
    pairs, counted = _find_pairs(joined), _find_counted(joined) | _find_priced(joined)
    makers = [
        _make_column_items
        if at in columns
        else _make_pair_items
        if at in pairs
        else _make_plain_items
        if at in counted
        else _make_field_items
        if _match_field(line)
        else None
        for at, line in enumerate(joined)
    ]
    for make_items, group in groupby(zip(makers, joined, strict=True), key=itemgetter(0)):
        lines = [line for _, line in group]
        if make_items and (items := make_items(lines)):
            parts += [items, []]
        else:
            parts[-1] += lines
    if len(parts) == 1:
        return _separate_lines(run)
    parts[::2] = map(_separate_lines, parts[::2])
    return [
        line
        for number, part in enumerate(filter(None, parts))
        for line in (["", *part] if number else part)
    ]


def _part_fields(line: str) -> list[str]:
    """Return each field of a line of several with bars between them: ``Prep: 15 min | Cook: 1 h``;
    any other line as it is."""
    parts = [part.strip() for part in line.split(" | ")]
    are_fields = len(parts) > 1 and not _MARK.match(line) and all(map(_match_field, parts))
    return parts if are_fields else [line]


def _find_columns(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that have two columns with a tab between them, two or more in
    a row."""
    found: set[int] = set()
    for are_columns, group in groupby(
        enumerate(lines), key=lambda each: _match_columns(each[1]) is not None
    ):
        rows = {at for at, _ in group}
        if are_columns and len(rows) >= _FEWEST_ROWS:
            found |= rows
    return found


def _match_columns(line: str) -> re.Match[str] | None:
    """Return the two columns of a line; None if it has none, or a mark of Markdown."""
    is_line = len(line) <= _LONGEST_FIELD and not _MARK.match(line)
    return _COLUMNS.fullmatch(line.strip()) if is_line and _is_whole_beside_money(line) else None


def _make_column_items(lines: list[str]) -> list[str]:
    """Return lines of two columns as the items of a list, with a colon between the columns."""
    return [
        f"- {match['label'].rstrip(':：')}: {match['value']}"
        for match in filter(None, map(_match_columns, lines))
    ]


def _find_pairs(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that are pairs, three or more in a row, of which most are no
    plain fields.
    """
    found: set[int] = set()
    for are_pairs, group in groupby(
        enumerate(map(_match_pair, lines)), key=lambda each: each[1] is not None
    ):
        matches = [(number, match) for number, match in group if match]
        plain = sum(_match_field(lines[number]) is not None for number, _ in matches)
        if (
            are_pairs
            and len({match["label"] for _, match in matches}) == len(matches) >= _FEWEST_PAIRS
            and 2 * plain < len(matches)
            and not _is_verse([match[0] for _, match in matches])
            and not _are_clauses([match for _, match in matches])
        ):
            found.update(number for number, _ in matches)
    return found


def _find_counted(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that begin with an amount or a time, three or more of them,
    and of those among and after them that go without one: ``3 leeks``, ``salt and pepper``."""
    found: set[int] = set()
    for are_short, group in groupby(enumerate(lines), key=lambda each: _may_be_counted(each[1])):
        items = list(dropwhile(lambda each: not _COUNTED.match(each[1]), group))
        counts = sum(_COUNTED.match(line) is not None for _, line in items)
        begins = items[0][0] if items else 0
        is_headed = begins == 1 and len(items) == _FEWEST_ROWS and _is_name(lines[0].strip())
        is_list = counts >= _FEWEST_PAIRS or (is_headed and counts == len(items))
        if are_short and is_list and 2 * counts >= len(items):
            found.update(at for at, _ in items)
    return found


def _find_priced(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that end with a price, three or more of them, with no more
    others among them, which are their headings: ``Mains``, ``Fish and chips £12.95``; or two below
    one heading."""
    found: set[int] = set()
    for are_short, group in groupby(enumerate(lines), key=lambda each: _may_be_counted(each[1])):
        items = list(group)
        priced = {at for at, line in items if _PRICED.search(line)}
        is_list = len(priced) >= _FEWEST_PAIRS or (
            len(priced) == len(items) - 1 == _FEWEST_ROWS
            and items[0][0] not in priced
            and _is_name(items[0][1].strip())
            and all(line[:1].isupper() for _, line in items)
        )
        if are_short and is_list and 2 * len(priced) >= len(items):
            found |= priced
    return found


def _may_be_counted(line: str) -> bool:
    """Return whether a line may be one of a list: it is short and ends no sentence."""
    return (
        len(line) < _WRAPPED
        and not _MARK.match(line)
        and _is_whole_beside_money(line)
        and not line.rstrip(" *_").endswith((*_SENTENCE_ENDS, ","))
    )


def _make_plain_items(lines: list[str]) -> list[str]:
    return [f"- {line.strip()}" for line in lines]


def _match_pair(line: str) -> re.Match[str] | None:
    """Return the label of a line of any kind and its value; none if the line may have been wrapped
    or is a sentence."""
    text = line.strip()
    match = _PAIR.fullmatch(text) if len(line) <= _LONGEST_FIELD and not _MARK.match(line) else None
    begins = text.split(maxsplit=1)[0] if text else ""
    is_line = not begins[:1].islower() or (begins.endswith(".") and begins[:-1].isalpha())
    return (
        match
        if is_line and _is_whole_beside_money(line) and not text.endswith((*".!?;…。！？", ","))
        else None
    )


def _are_clauses(matches: list[re.Match[str]]) -> bool:
    """Return whether pairs are clauses that go on in a small letter, as lines of verse do: ``The
    sea is calm – and so am I``, unlike ``£25 – a badge`` and ``Eggs – two``."""
    long_labels = sum(len(match["label"].split()) >= _FEWEST_OF_CLAUSE for match in matches)
    return 2 * long_labels > len(matches) and not any(
        match["leader"]
        or match["arrow"]
        or not match["value"][:1].islower()
        or not _find_first_word(match["label"]).isalpha()
        for match in matches
    )


def _make_pair_items(lines: list[str]) -> list[str]:
    """Return pairs as the items of a list, with a colon in place of a leader, and of an arrow after
    a day or a price."""
    items = []
    for match in filter(None, map(_match_pair, lines)):
        label, is_counted = match["label"].rstrip(), any(map(str.isdecimal, match["label"]))
        if match["leader"] or (match["arrow"] and is_counted):
            items.append(f"- {label}: {match['value']}")
        else:
            items.append(f"- {match[0]}")
    return items


def _join_fields(run: list[str]) -> list[str]:
    """Return ``run`` with each field on one line, whose value went on in a small letter
    on the next.
    """
    joined: list[str] = []
    for line in run:
        goes_on = (
            joined
            and line[:1].islower()
            and _match_field(joined[-1]) is not None
            and _match_field(line) is None
            and _match_pair(line) is None
        )
        if goes_on and len(joined[-1]) + len(line) < _LONGEST_FIELD:
            joined[-1] = f"{joined[-1].rstrip()} {line}"
        else:
            joined.append(line)
    return joined


def _make_field_items(lines: list[str]) -> list[str]:
    """Return fields as the items of a list; nothing if they are questions and answers,
    or turns in a conversation.
    """
    fields = [match for line in lines if (match := _match_field(line))]
    labels = {match["label"].casefold() for match in fields}
    values = [match["value"].rstrip(" *\\") for match in fields]
    is_asked = any(value.endswith(_ASKED) for value in values)
    are_said = all(
        (value[:1].isupper() or (match["wide"] and value[:1].isalpha()))
        and value.endswith(_SENTENCE_ENDS)
        for match, value in zip(fields, values, strict=True)
    )
    if (
        are_said
        or len(lines) < 2
        or len(labels) < len(lines)
        or is_asked
        or not all(map(_is_whole_beside_money, lines))
    ):
        return []
    return [
        f"- **{match['label'].strip()}{'**：' if match['wide'] else ':** '}"
        f"{match['value'].rstrip(' ').rstrip(chr(92))}"
        for match in fields
    ]


def _match_field(line: str) -> re.Match[str] | None:
    match = (
        (_FIELD.fullmatch(line) or _BOLD_FIELD.fullmatch(line))
        if len(line) <= _LONGEST_FIELD
        else None
    )
    is_label = (
        match is not None
        and not match["label"][0].islower()
        and len(match["label"].split()) <= _LONGEST_LABEL
        and not _is_time(match)
    )
    return match if is_label else None


def _is_time(match: re.Match[str]) -> bool:
    """Return whether a wide colon is that of a time or a ratio, and ends no label: 早上9：30."""
    is_wide = match["wide"] is not None
    return is_wide and match["label"][-1].isdecimal() and match["value"][0].isdecimal()


def _mark_items(run: list[str], pattern: re.Pattern[str]) -> list[str]:
    """Return the lines with a mark of Markdown where two or more in a row begin with ``pattern``,
    in order if they have one.
    """
    marked_lines: list[str] = []
    for begins, group in groupby(run, key=lambda line: bool(pattern.match(line))):
        lines = list(group)
        # In a conversation, dashes begin what is said.
        is_said = pattern is _DASH and any(
            line.rstrip().endswith((".", "!", "?", "…")) for line in lines
        )
        is_list = begins and len(lines) > 1 and not is_said and _is_list(lines, pattern)
        marked_lines += (
            [
                pattern.sub(f"{place}. " if pattern in _NUMBERS else "- ", line, count=1)
                for place, line in enumerate(lines, 1)
            ]
            if is_list
            else lines
        )
    return marked_lines


def _is_list(lines: list[str], pattern: re.Pattern[str]) -> bool:
    """Return whether lines that begin with ``pattern`` are in order, and their numbers count no one
    thing."""
    is_in_order = _is_in_order([pattern.match(line) for line in lines])
    return is_in_order and not (pattern is _NUMBER and _count_the_same(lines))


def _count_the_same(lines: list[str]) -> bool:
    """Return whether the numbers at the beginnings count what one word names: ``1º ano``, ``2º
    ano``, ``1-Bedroom flats``, ``2-Bedroom flats``."""
    named = {_NUMBER.sub("", line).split(maxsplit=1)[0].casefold() for line in lines}
    return len(named) == 1


def _is_in_order(matches: list[re.Match[str] | None], before: int = 0) -> bool:
    """Return whether points count from the number of those ``before`` them, if they count."""
    places = [
        match.groupdict().get("digits") or match["place"]
        for match in matches
        if match and "place" in match.re.groupindex
    ]
    numbers = [
        _find_place_of_letter(place)
        if place.isalpha()
        else int(place)
        if place.isdecimal()
        else int(unicodedata.numeric(place))
        for place in places
    ]
    return numbers == list(range(before + 1, before + len(numbers) + 1))


def _find_place_of_letter(letter: str) -> int:
    """Return the place of ``letter`` in its alphabet, from 1; 0: in no other way than by its code,
    as that of the Latin alphabet's second half."""
    alphabet = next((each for each in _ALPHABETS if letter in each), "")
    first = "a" if letter.islower() else "A"
    return alphabet.index(letter) + 1 if alphabet else ord(letter) - ord(first) + 1


def _convert_table(run: list[str]) -> list[str] | None:
    """Return lines with equal numbers of tabs or bars as a table, if figures stand below headings
    without one; None if they are no table.
    """
    if len(run) < 2 or _DELIMITERS.fullmatch(run[1]) or all(map(_COLON_AND_TAB.search, run)):
        return None
    parts = re.split(r" \| |\t|\n", "\n".join(run).replace("$", ""))
    if any(_MARK.match(line) and line[0] != "$" for line in run) or not all(map(_is_whole, parts)):
        return None
    head_has_figures, *rows_have_figures = (any(map(str.isdecimal, line)) for line in run)
    if head_has_figures or not all(rows_have_figures):
        return None
    for separator in ("\t", " | "):
        columns = {line.count(separator) for line in run}
        if len(columns) == 1 and columns != {0}:
            cells = [
                [cell.strip().replace("|", "\\|") for cell in line.split(separator)] for line in run
            ]
            rows = [f"| {' | '.join(row)} |" for row in cells]
            return [rows[0], "|" + "---|" * len(cells[0]), *rows[1:]]
    return None


def _separate_lines(run: list[str]) -> list[str]:
    """Return lines with an empty one between those that were not wrapped but begin anew."""
    if len(run) < 2 or any(
        line.endswith(("  ", "\\")) or not _is_whole_beside_money(_PLACE.sub("", line, count=1))
        for line in run
    ):
        return run
    if len(ends := _list_prices(run)) > 1:  # each below what is sold for it
        sold = [_keep_breaks(run[start:end]) for start, end in pairwise([0, *ends])]
        return [line for lines in sold for line in (*lines, "")] + _part_lines(run[ends[-1] :])
    if _is_in_capitals(run):
        return [run[0], "", *_part_titled(run[1:])]
    return _part_titled(run)


def _part_titled(run: list[str]) -> list[str]:
    if len(run) > 1 and _is_title(run):
        return [run[0], "", *_part_price(run[1:])]
    return _list_after_colon(run) or _part_numbered(run) or _part_price(run)


def _list_prices(run: list[str]) -> list[int]:
    """Return the numbers of the lines below prices alone, if the last line ends a sentence: what
    begins there with a capital would go on after the price."""
    if not run[-1].rstrip(" *").endswith(_SENTENCE_ENDS):
        return []
    return [
        at
        for at, (line, following) in enumerate(pairwise(run), 1)
        if _PRICED.fullmatch(f" {line.strip(' *_')}") and following.lstrip(" *")[:1].isupper()
    ]


def _part_price(run: list[str]) -> list[str]:
    end = _find_end_of_price(run) or next(iter(_list_prices(run)), 0)
    if end:
        return [*_part_name(run[:end], run[end]), "", *_part_lines(run[end:])]
    return _part_name(run, "") if len(run) == 2 else _part_lines(run)


def _find_end_of_price(run: list[str]) -> int:
    """Return the number of the line below one that is a price alone or ends with one, in the first
    two lines, if a sentence begins there: it would go on after the price. 0: there is none."""
    widest = max(map(len, run))
    for at in range(1, min(3, len(run))):
        *above, line = run[:at]
        is_alone = _PRICED.fullmatch(f" {line.strip(' *_')}")
        has_room = _has_room(line, run[at], widest) or (
            above and _is_name(above[0].strip()) and _has_room(above[0], line, widest)
        )
        if (
            (is_alone or (has_room and _is_priced_item(line, run[at])))
            and run[at].lstrip(" *")[:1].isupper()
            and run[-1].rstrip(" *").endswith(_SENTENCE_ENDS)
        ):
            return at
    return 0


def _is_priced_item(line: str, following: str) -> bool:
    """Return whether a line is a thing with its price, and was not wrapped before ``following``."""
    has_room = len(line) + len(_find_first_word(following)) + _SLACK < _NARROW
    return has_room and line.lstrip(" *")[:1].isupper() and bool(_PRICED.search(line))


def _part_name(run: list[str], below: str) -> list[str]:
    """Return the lines of a price with the name above them in a paragraph of its own: in bold above
    a price alone (``Bread``, ``£3.50``), if the line ``below`` is so
    long that the price was not wrapped."""
    if len(run) != 2 or not _is_name(run[0].strip()):
        return _part_lines(run)
    if _PRICED.fullmatch(f" {run[1].strip(' *_')}"):
        has_room = len(run[0]) + 1 + len(run[1]) <= len(below)
        return [f"**{run[0].strip()}**", "", run[1]] if has_room else _part_lines(run)
    return [run[0], "", run[1]] if _is_priced_item(run[1], run[0]) else _part_lines(run)


def _is_name(line: str) -> bool:
    """Return whether a line is a few words that name a thing: they need nothing after them."""
    return (
        len(line) < _NARROW
        and len(line.split()) <= _LONGEST_LABEL
        and line[:1].isupper()
        and not (line.endswith((*_SENTENCE_ENDS, *_GOING_ON)) or _leans(line))
        and not (_PRICED.search(line) or _MARK.match(line))
    )


def _part_lines(run: list[str]) -> list[str]:
    if _is_verse(run) or all(unicodedata.category(line.lstrip()[0]) == "So" for line in run):
        return _keep_breaks(run)
    if _is_dialogue(run):
        return [line for each in run for line in (each, "")][:-1]
    if any(len(line) >= _WRAPPED for line in run[:-1]):
        return run
    if _is_poster(run):
        return _keep_breaks(run)
    is_block = not run[-1].rstrip().endswith(_SENTENCE_ENDS)  # an address, a signature
    is_each = all(_begins_line(*pair, is_block) for pair in pairwise(run))
    if is_each and is_block and len(run) >= _FEWEST_LINES and not any(map(_may_stand_alone, run)):
        return _keep_breaks(run)
    result = run[:1]
    for following in run[1:]:
        result += (
            ["", following]
            if is_each
            or (_LABEL.match(following) and not following[0].islower())
            or _is_field_above(result[-1], following)
            else [following]
        )
    return result


def _is_title(run: list[str]) -> bool:
    """Return whether the first line stands above a paragraph: a few words that end no sentence, so
    far from the width of the lines below that they were not wrapped there."""
    line, following = run[0].strip(), run[1].strip()
    width = len(line) + len(_find_first_word(following)) + _SLACK
    last = line.split()[-1] if line else ""
    return (
        len(line) < _NARROW
        and len(line.split()) <= _LONGEST_TITLE
        and (line[0].isupper() or line[0].isdecimal())
        and (last[0].isupper() or last[0].isdecimal() or _may_end_title(last))
        and not line.endswith((*_SENTENCE_ENDS, *_GOING_ON))
        and not (line.isupper() and _leans(line.lower()))
        and width < max(map(len, run[1:]))
        and (following[0].isupper() or following[0].isdecimal())
        and run[-1].rstrip(' *_"”’»)').endswith(_SENTENCE_ENDS)
    )


def _is_in_capitals(run: list[str]) -> bool:
    """Return whether the first line is a title in capitals above others that are not: ``SUMMER
    FAIR``, ``All are welcome``."""
    line, following = run[0].strip(), run[1].strip()
    return (
        len(line) < _WRAPPED
        and line.isupper()
        and sum(map(str.isalpha, line)) >= _FEWEST_CAPITALS
        and not line.endswith((*_SENTENCE_ENDS, *_GOING_ON))
        and not following.isupper()
        and (following[0].isupper() or following[0].isdecimal())
        and not (_leans(line.lower()) or _PRICED.search(line))
    )


def _list_after_colon(run: list[str]) -> list[str]:
    """Return the short lines below one that ends with a colon as a list, if all have room, so that
    none was wrapped: ``Open:``, ``Mon–Fri 9–19``, ``Sat 9–14``. Empty: they are none."""
    lead, *lines = [line.strip() for line in run]
    widest = max(map(len, run))
    is_list = (
        len(lines) >= _FEWEST_ROWS
        and lead.endswith((":", "："))
        and widest < _NARROW
        and all(_has_room(line, following, widest) for line, following in pairwise(lines))
        and not any(_may_stand_alone(line) or _leans(line) for line in lines)
    )
    return [run[0], "", *_make_plain_items(lines)] if is_list else []


def _part_numbered(run: list[str]) -> list[str]:
    """Return lines with an empty one above each that has a number or a letter within its section,
    if they count on: ``4.1 Roof``, ``a) Bench``; as points if all have one. Empty: they do not."""
    for pattern in (_SUBNUMBER, _LETTER):
        matches = {at: match for at, line in enumerate(run) if (match := pattern.match(line))}
        is_within = bool(matches) and (pattern is _LETTER or 0 in matches)
        if (
            len(matches) < _FEWEST_ROWS
            or not is_within
            or not _counts_within(pattern, list(matches.values()))
        ):
            continue
        if pattern is _SUBNUMBER and len(matches) == len(run):
            return _make_plain_items(run)
        bounds = sorted({0, *matches, len(run)})
        parts = [_part_lettered(run[first:last]) for first, last in pairwise(bounds)]
        return [line for at, part in enumerate(parts) for line in (["", *part] if at else part)]
    return []


def _counts_within(pattern: re.Pattern[str], matches: list[re.Match[str]]) -> bool:
    if pattern is _LETTER:
        return _is_in_order(list(matches))
    minors = [int(match["minor"]) for match in matches]
    is_one = len({match["major"] for match in matches}) == 1
    return is_one and all(after == before + 1 for before, after in pairwise(minors))


def _part_lettered(run: list[str]) -> list[str]:
    """Return the lines of one letter or number, with an empty one below its title."""
    if len(run) > 1 and _is_section(run[0].strip().partition(" ")[2], run[1]):
        return [run[0], "", *_part_lines(run[1:])]
    return _part_lines(run)


def _is_poster(run: list[str]) -> bool:
    """Return whether lines are those of a poster: several that are short and end no sentence, most
    with a capital or a figure, and that were not wrapped.

    Where lines were wrapped, the next word has no room on any of them, or after they were wrapped
    twice on few; and many of them end with a word that needs the next one ("of the"). A line in
    small letters ("at the old town hall") is one of a poster where it had room above, or where most
    of the others had. In a script without capitals, nothing but room tells the two apart.
    """
    lines = [line.strip() for line in run]
    if not any(char.isupper() or char.islower() for line in lines for char in line):
        return _is_poster_without_capitals(lines)
    widest = max(map(len, lines))
    if len(lines) < _FEWEST_LINES or widest >= _NARROW or any(map(_may_be_prose, lines)):
        return False
    going_on = sum(
        _leans(line) or (following[0].islower() and not _has_room(line, following, widest))
        for line, following in pairwise(lines)
    )
    breaks = len(lines) - 1
    have_room = _count_room(lines, widest)
    has_capitals = any(line[0].isupper() for line in lines)
    narrowest = _NARROWEST if has_capitals else _NARROWEST_WITHOUT_CAPITALS
    is_roomy = 2 * have_room >= breaks or widest < narrowest
    return (
        not lines[0][0].islower()
        and sum(not line[0].islower() for line in lines) >= _MOST_OF_POSTER * len(lines)
        and going_on <= (_FEW_OF_POSTER * breaks if is_roomy else 0)
        and (is_roomy or have_room > 0)
    )


def _is_poster_without_capitals(lines: list[str]) -> bool:
    widest = max(map(_measure_width, lines))
    if len(lines) < _FEWEST_LINES or widest >= _NARROW or any(map(_may_be_prose, lines)):
        return False
    longest = max(map(len, lines))
    # Programs wrap at so many characters, or at so much width.
    going_on = sum(
        _leans(line)
        or len(line) + 1 + min(len(_find_first_piece(following)), _LONGEST_WORD)
        > max(longest, _NARROWEST)
        or _measure_width(line) + _measure_piece(following) > max(widest, _NARROWEST)
        for line, following in pairwise(lines)
    )
    return going_on <= _FEW_OF_POSTER * (len(lines) - 1)


def _measure_width(text: str) -> int:
    """Return the width of ``text`` in letters: a sign of Japanese has two, a mark above or below a
    letter none."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else unicodedata.category(char) != "Mn"
        for char in text
    )


def _measure_piece(line: str) -> int:
    """Return the width of what of a line would have been on the one above, with the space before
    it: a word, which has no space after it in scripts such as Thai, or a sign of Japanese."""
    piece = _find_first_piece(line)
    is_wide = unicodedata.east_asian_width(piece[0]) in "WF"
    return _measure_width(piece) if is_wide else 1 + min(_measure_width(piece), _LONGEST_WORD)


def _count_room(lines: list[str], widest: int) -> int:
    """Return on how many lines the next word had room, without short ones below a line on which it
    had none: those are the rests of lines that were wrapped twice."""
    count, is_full = 0, False
    for line, following in pairwise(lines):
        has_room = _has_room(line, following, widest)
        is_rest = is_full and 2 * len(line) <= widest and len(line.split()) <= _LONGEST_REST
        count += has_room and not is_rest
        is_full = not has_room
    return count


def _has_room(line: str, following: str, widest: int) -> bool:
    return len(line) + 1 + len(_find_first_piece(following)) <= widest


def _may_be_prose(line: str) -> bool:
    """Return whether a line ends a sentence that is no call (``Come and see!``), or is none of a
    poster by its marks."""
    return _may_stand_alone(line.rstrip(" *!！")) or bool(_ENDED.search(line))


def _find_first_piece(line: str) -> str:
    """Return what of a line would have been on the one above: a word, or a sign of Chinese or
    Japanese; Korean has spaces between its words."""
    word = _find_first_word(line)
    is_sign = unicodedata.east_asian_width(word[0]) in "WF" and not "가" <= word[0] <= "힣"
    return word[:1] if is_sign else word


def _leans(line: str) -> bool:
    """Return whether something has to follow a line: it ends with a comma, a hyphen or a word such
    as "of the", that is no unit of a number before it."""
    *before, last = ["", *line.split()]
    is_unit = any(map(str.isdecimal, before[-1]))
    return line.endswith((*_GOING_ON, *_WIDE_LEANING)) or (
        not is_unit and (last in _LEANING or last in _SHORT_LEANING)
    )


def _may_end_title(word: str) -> bool:
    """Return whether a title may end with a word in small letters: one that is long, or of four
    letters and needs nothing after it, as "with" does."""
    return len(word) > _FEW or (len(word) == _FEW and word not in _LEANING)


def _is_field_above(line: str, following: str) -> bool:
    """Return whether ``line`` is a label with its value, and ``following`` a sentence of its own
    below it: ``Hours: Mon-Fri 8-18``, ``We are closed on 29 May.``"""
    is_ended = not line.rsplit(maxsplit=1)[-1].islower()
    return (
        _match_field(line) is not None
        and is_ended
        and not line.rstrip().endswith((*_SENTENCE_ENDS, *_GOING_ON))
        and following[0].isupper()
        and following.rstrip().endswith(_SENTENCE_ENDS)
    )


def _keep_breaks(run: list[str]) -> list[str]:
    """Return lines that stay lines: Markdown breaks one after two spaces."""
    return [f"{line.rstrip()}  " for line in run[:-1]] + run[-1:]


def _keep_breaks_of_poem(lines: list[str]) -> list[str]:
    """Return the lines of a quotation, which stay lines if they are those of a poem: several, none
    of which is so long that it was wrapped; a source is below them."""
    texts = [_QUOTED.sub("", line).strip() for line in lines]
    verses = [text for text in texts if text and not text.startswith(_DASHES)]
    is_poem = len(verses) >= _FEWEST_LINES and not any(
        len(text) >= _NARROW or _MARK.match(text) or text.startswith("[!") or _LABEL.match(text)
        for text in verses
    )
    return [
        f"{line.rstrip()}  " if is_poem and text and following else line
        for line, text, following in zip(lines, texts, [*texts[1:], ""], strict=True)
    ]


def _is_verse(run: list[str]) -> bool:
    """Return whether lines are those of a poem: each short, with capital letters or else of much
    the same length, and few of them whole sentences.
    """
    if len(run) < _FEWEST_LINES or any(len(line) >= _WRAPPED or _LABEL.match(line) for line in run):
        return False
    begins = [next((sign for sign in line if sign.isalpha()), "a") for line in run]
    ends = [line.rstrip(' *_"”’»') for line in run]
    going_on = sum(end.endswith(_GOING_ON) for end in ends[:-1])
    closed_lines = sum(end.endswith(_SENTENCE_ENDS) for end in ends[:-1])
    words = sum(len(line.split()) for line in run) / len(run)
    is_capital = 3 * sum(map(str.islower, begins)) <= len(run)
    lengths = [len(line) for line in run]
    is_even = len(run) > _FEWEST_LINES and max(lengths) < min(_NARROW, _EVENLY * lengths[-1])
    return (
        (is_capital or is_even)
        and words >= _FEW
        and 4 * going_on >= len(run) - 1
        and 2 * closed_lines <= len(run) - 1
    )


def _continues_poem(run: list[str], stanza: list[str]) -> bool:
    """Return whether lines are a further stanza of a poem: as many as in the one before,
    and none much longer than its longest.
    """
    longest = max((len(line.rstrip()) for line in stanza), default=0)
    return (
        bool(stanza)
        and len(run) == len(stanza)
        and not any(map(_MARK.match, run))
        and max(len(line.rstrip()) for line in run) < min(_WRAPPED, _EVENLY * longest)
    )


def _may_stand_alone(line: str) -> bool:
    """Return whether a line is a sentence, a label with its value, a link or a cell,
    not the line of an address.
    """
    is_marked = _LABEL.match(line) or _ADDRESS.search(line) or "|" in line or "\t" in line
    is_ended = line.rstrip(" *").endswith(_SENTENCE_ENDS) and not _INITIALS.search(line)
    return bool(is_marked) or is_ended


def _is_dialogue(run: list[str]) -> bool:
    """Return whether every line is a turn of a conversation: somebody speaks again,
    or the first asks.
    """
    labels = [
        match[0].strip("* :：")
        for line in run
        if (match := _LABEL.match(line)) and match[0].lstrip("*")[0].isupper()
    ]
    is_asked = run[0].rstrip(" *").endswith(_ASKED)
    return (
        len(labels) == len(run)
        and len(set(labels)) > 1
        and (len(set(labels)) < len(labels) or is_asked)
    )


def _begins_line(line: str, following: str, is_block: bool) -> bool:
    """Return whether ``following`` is no continuation of ``line``.

    ``is_block``: the last line ends no sentence.
    """
    first, is_address = following.lstrip(" *")[:1], bool(_ADDRESS.fullmatch(following.strip()))
    if first.islower() and not is_address:
        return False
    if "\t" in following or (" | " in line and " | " in following):
        return True
    if (
        line.rstrip(" *").endswith(_SENTENCE_ENDS)
        or _LABEL.match(following)
        or _find_first_word(line) == _find_first_word(following)
    ):
        return True
    # Letters of a script without capitals count as small ones.
    if not is_block or (first.isalpha() and not first.isupper() and not is_address):
        return False
    if line[-1].isalpha() and _leans(line):
        return False
    return (
        line.rstrip().endswith(",")
        or max(len(re.findall(r"\w+", each)) for each in (line, following)) <= _FEW
    )


def _find_first_word(line: str) -> str:
    return line.split(maxsplit=1)[0]


def _is_whole_beside_money(text: str) -> bool:
    return _is_whole(_MONEY.sub("", text))


def _is_whole(text: str) -> bool:
    """Return whether no mark that Markdown has in pairs is open at the end of ``text``."""
    return all(text.count(first) == text.count(last) for first, last in _PAIRS) and not any(
        text.count(mark) % 2 for mark in _EVEN
    )
