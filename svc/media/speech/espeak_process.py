"""The process that runs espeak-ng: reads a job as JSON, writes for each text a line of JSON
followed by its samples.

A job with ``phonemes_of`` (lists of texts) is answered with the phonemes of each text instead.

It runs as a script with only the standard library. espeak-ng keeps state between texts, so that its
output depends on what it spoke before: each text is therefore spoken by a fork of the process that
has spoken nothing, and the same text gives the same bytes. A process of its own also keeps
espeak-ng's licence (GPL) apart from the service.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

_SYNCHRONOUS, _DO_NOT_EXIT, _UTF8, _SSML = 2, 0x8000, 1, 0x10
_SEED = 1  # any fixed number; by default espeak-ng seeds its breath noise with the time of day
_RATE, _PITCH, _WORD_EVENT, _PHONEME_EVENT, _END_OF_EVENTS = 1, 3, 1, 7, 0
_TELL_PHONEMES_IN_IPA = 3
# The mode of espeak_TextToPhonemes that gives IPA, with "^" between the letters of one phoneme.
_AS_IPA_TIED = 2 | 0x80 | ord("^") << 8


class _Identity(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):  # espeak_EVENT in speak_lib.h
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),  # in characters, from 1
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Identity),
    ]


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(_Event))


def main() -> None:
    """Speak the texts of the job on standard input, or write the phonemes of its texts.

    Ends with a sentence on standard error and status 1 if the voice is not available or rejects a
    text.
    """
    job = json.load(sys.stdin)
    library = ctypes.CDLL(job["library"])
    rate = _start_library(library, job["data"])
    library.espeak_ng_SetRandSeed(ctypes.c_long(_SEED))
    if library.espeak_SetVoiceByName(job["voice"].encode()):
        sys.exit(f"the voice {job['voice']!r} is not available")
    if "phonemes_of" in job:
        json.dump(
            [[_read_phonemes(library, text) for text in texts] for texts in job["phonemes_of"]],
            sys.stdout,
        )
    else:
        _speak_texts(library, job, rate)


def _speak_texts(library, job: dict, rate: int) -> None:
    """Write the sound of each text of the job, with the samples at which words and phonemes begin.

    Each text is spoken by a fork of this process, which has spoken nothing.
    """
    library.espeak_SetParameter(_RATE, job["words_per_minute"], 0)
    library.espeak_SetParameter(_PITCH, job["pitch"], 0)
    chunks: list[bytes] = []
    words: list[tuple[int, int]] = []
    sounds: list[tuple[str, int]] = []

    @_CALLBACK
    def receive(samples, count, events):
        if samples and count > 0:
            chunks.append(ctypes.string_at(samples, count * 2))
        index = 0
        while events[index].type != _END_OF_EVENTS:
            if events[index].type == _WORD_EVENT:
                words.append((events[index].text_position - 1, events[index].sample))
            if events[index].type == _PHONEME_EVENT:
                sounds.append(
                    (events[index].id.string.decode("utf-8", "ignore"), events[index].sample)
                )
            index += 1
        return 0  # continue

    library.espeak_SetSynthCallback(receive)
    for text, marked in job["texts"]:
        if (copy := os.fork()) == 0:
            _synthesise_text(library, text, marked)
            _write_answer(rate, words, sounds, b"".join(chunks))
            os._exit(0)
        if os.waitpid(copy, 0)[1] != 0:
            sys.exit("the voice rejected a sentence")


def _start_library(library, data: str) -> int:
    """Start the library with its own data, and return its sample rate.

    The library silently uses another copy's data if it cannot read these. It holds paths of at most
    160 bytes, so it is started in the data folder with a relative path.
    """
    os.chdir(data)
    rate = library.espeak_Initialize(_SYNCHRONOUS, 0, b".", _DO_NOT_EXIT | _TELL_PHONEMES_IN_IPA)
    used = ctypes.c_char_p()
    library.espeak_Info.restype = ctypes.c_char_p
    library.espeak_Info(ctypes.byref(used))
    if rate <= 0 or not used.value or not Path(data).samefile(used.value.decode()):
        sys.exit(f"the voice's data in {data} is not readable")
    return rate


def _read_phonemes(library, text: str) -> str:
    """Return the phonemes of ``text`` in IPA, with a space between words."""
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    rest, clauses = ctypes.c_char_p(text.encode()), []
    while rest.value:
        clauses.append(
            library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _AS_IPA_TIED).decode(
                "utf-8", "ignore"
            )
        )
    return " ".join(clauses)


def _synthesise_text(library, text: str, marked: bool) -> None:
    raw = text.encode() + b"\0"
    flags = _UTF8 | (_SSML if marked else 0)
    if library.espeak_Synth(raw, ctypes.c_size_t(len(raw)), 0, 1, 0, flags, None, None):
        os._exit(1)
    library.espeak_Synchronize()


def _write_answer(rate: int, words, sounds, samples: bytes) -> None:
    head = {"rate": rate, "bytes": len(samples), "words": words, "sounds": sounds}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + samples)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
