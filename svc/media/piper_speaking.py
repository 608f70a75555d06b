"""The process in which Piper speaks: reads a job as JSON, writes for each text a line of JSON and then its samples.

Piper's licence (GPL) ends here, as does the memory that its model takes.
"""

import json
import sys

import numpy
from piper import PiperVoice, SynthesisConfig


def main() -> None:
    """Ends with a traceback on standard error where the model cannot be read or refuses a text."""
    job = json.load(sys.stdin)
    voice = PiperVoice.load(job["model"], job["config"], download_dir="/nonexistent")  # nothing is fetched from anywhere
    how = SynthesisConfig(speaker_id=job["speaker"], length_scale=voice.config.length_scale * job["length_scale"])
    for text in job["texts"]:
        chunks = list(voice.synthesize(text.replace("[[", " ").replace("]]", " "), how, include_alignments=True))
        samples = numpy.concatenate([numpy.zeros(0, numpy.int16), *(chunk.audio_int16_array for chunk in chunks)])
        head = {"rate": voice.config.sample_rate, "bytes": samples.nbytes, "words": _words(chunks)}
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + samples.astype("<i2").tobytes())
        sys.stdout.buffer.flush()


def _words(chunks) -> list[int] | None:
    """The sample at which each word starts, by the model's own durations; None if it has none."""
    starts, at = [], 0
    for chunk in chunks:
        if chunk.phoneme_alignments is None:
            return None
        begins, here = True, at
        for each in chunk.phoneme_alignments:
            if each.phoneme == " ":
                begins = True
            elif begins and each.phoneme not in "^$_":
                starts.append(here)
                begins = False
            here += int(each.num_samples)
        at += len(chunk.audio_float_array)
    return starts


if __name__ == "__main__":
    main()
