"""Questions in pasted text: those above their answers, and those of a quiz."""

import re
from itertools import pairwise

from svc.base.text.pasted.marks import (
    ASKED,
    DASHES,
    FENCE,
    FEW,
    FEWEST_QUESTIONS,
    GOING_ON,
    HEADING,
    LABEL,
    LONGEST_FIELD,
    LONGEST_QUESTION,
    MARK,
    UNDERLINE,
    find_code,
    find_following,
    is_whole_beside_money,
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


def set_questions(lines: list[str]) -> None:
    """Set the questions in bold of which each begins a paragraph that answers it, or stands alone
    above one, as in a FAQ or an interview: two or more."""
    if any(map(FENCE.match, lines)):
        return
    asked = [
        at
        for at, (before, line, following) in enumerate(
            zip(["", *lines], lines, find_following(lines), strict=False)
        )
        if not before.strip() and is_question(line) and answers(following)
    ]
    if len(asked) >= FEWEST_QUESTIONS:
        for at in asked:
            lines[at] = f"**{lines[at].strip()}**"


def set_quiz(lines: list[str]) -> list[str]:
    """Return ``lines`` with the questions of a quiz (``Question 1: Which river is the longest?``)
    in bold, each with its number and its own paragraph, if they count on. Those without an answer
    between them are the points of a list: what stands below the last one answers none of them."""
    joined = _join_quiz(lines)
    code = find_code(joined)
    asked = {
        at: match
        for at, (line, below) in enumerate(pairwise([*joined, ""]))
        if (match := _match_quiz(line)) and at not in code and not UNDERLINE.fullmatch(below)
    }
    following = find_following(joined)
    answers = [_find_answer(following[at]) for at in asked]
    # "Answer: The Amazon." is a turn of a dialogue.
    if not _counts_on(list(asked.values())) or any(LABEL.match(line.strip()) for line in answers):
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
    return "" if _match_quiz(line) or HEADING.match(line) else line


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
    code = find_code(lines)
    for at, line in enumerate(lines):
        if at in code:
            joined += [*waiting, line]
            waiting = []
        elif waiting and not line.strip() and len(waiting) < FEW:
            waiting.append(line)
        elif waiting and is_question(line):
            joined.append(f"{waiting[0].strip().strip('*:：. ')}: {line.strip()}")
            waiting = []
        else:
            joined += waiting
            waiting = [line] if _COUNTED_ALONE.fullmatch(line) else []
            joined += [] if waiting else [line]
    return joined + waiting


def _match_quiz(line: str) -> re.Match[str] | None:
    """Return the number and the question of a line of a quiz, or its task after a word that says so
    (``Question 2: Name the river.``); None if it is anything else."""
    match = _COUNTED_QUESTION.fullmatch(line) if len(line) <= LONGEST_FIELD else None
    if match is None:
        return None
    asked = match["asked"].strip().rstrip("*")
    is_named = (match["name"] or match["named"]).casefold() in _TASKS
    return match if is_question(asked) or (is_named and _is_task(asked)) else None


def _is_task(text: str) -> bool:
    """Return whether ``text`` is one sentence of two words or more, or of a script without
    spaces."""
    is_sentence = len(text.split()) > 1 or not text.isascii()
    bare = text.rstrip(".!。！")
    return is_sentence and is_question(f"{bare}?")


def _counts_on(matches: list[re.Match[str]]) -> bool:
    """Return whether two questions or more have the same name and numbers that count on."""
    names = {(match["name"] or match["named"]).casefold() for match in matches}
    numbers = [int(match["number"] or match["ordinal"]) for match in matches]
    is_in_order = all(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) >= FEWEST_QUESTIONS and len(names) == 1 and is_in_order


def is_question(line: str) -> bool:
    """Return whether a line is one question, without marks of Markdown."""
    text = line.strip()
    return (
        text.endswith(ASKED)
        and len(text) <= LONGEST_QUESTION
        and not any(stop in text[:-1] for stop in (*ASKED, ". ", "! ", "*", "。"))
        and not (MARK.match(line) or LABEL.match(line) or text.startswith(DASHES))
        and is_whole_beside_money(text)
    )


def answers(line: str) -> bool:
    """Return whether a line below a question is the beginning of its answer, not a turn of a
    conversation or a further question."""
    text = line.strip()
    return bool(text) and not (
        MARK.match(line)
        or LABEL.match(line)
        or text.startswith(DASHES)
        or text.endswith((*ASKED, *GOING_ON))
        or text[0].islower()
    )
