"""The process that runs Piper: reads a job as JSON, writes for each text a line of JSON followed by
its samples.

A process of its own keeps Piper's licence (GPL) and its model's memory apart from the service.
"""

import json
import sys

import numpy
from piper import PiperVoice, SynthesisConfig


def main() -> None:
    """Speak the texts of the job on standard input.

    Ends with a traceback if the model is not readable or rejects a text.
    """
    job = json.load(sys.stdin)
    # downloads nothing
    voice = PiperVoice.load(job["model"], job["config"], download_dir="/nonexistent")
    config = SynthesisConfig(
        speaker_id=job["speaker"], length_scale=voice.config.length_scale * job["length_scale"]
    )
    for text in job["texts"]:
        chunks = list(
            voice.synthesize(
                text.replace("[[", " ").replace("]]", " "), config, include_alignments=True
            )
        )
        samples = numpy.concatenate(
            [numpy.zeros(0, numpy.int16), *(chunk.audio_int16_array for chunk in chunks)]
        )
        head = {
            "rate": voice.config.sample_rate,
            "bytes": samples.nbytes,
            "words": _list_word_starts(chunks),
        }
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + samples.astype("<i2").tobytes())
        sys.stdout.buffer.flush()


def _list_word_starts(chunks) -> list[int] | None:
    """Return the sample at which each word starts, from the model's own durations;
    None if it reports none.
    """
    starts, at = [], 0
    for chunk in chunks:
        if chunk.phoneme_alignments is None:
            return None
        at_word_start, here = True, at
        for alignment in chunk.phoneme_alignments:
            if alignment.phoneme == " ":
                at_word_start = True
            elif at_word_start and alignment.phoneme not in "^$_":
                starts.append(here)
                at_word_start = False
            here += int(alignment.num_samples)
        at += len(chunk.audio_float_array)
    return starts


if __name__ == "__main__":
    main()
