"""Operations on sound: sample rate, loudness, WAV files.

All samples are mono, int16, full scale 32768.
"""

import wave
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, overload

import av
import numpy

from svc.base import atomic_file
from svc.base.processes import heartbeat
from svc.media.errors import NarrationError

SAMPLE_RATE = 48_000  # Hz, as the platforms require
TARGET = -14.0  # LUFS, integrated (ITU-R BS.1770-4): the platforms' playback level
CEILING = -2.0  # dBTP: the encoder may add half a decibel, and the gate is at −1
_ROOM = 10 ** (CEILING / 20)
# Hz: oversampled, so that the limiter sees most peaks between samples; CEILING allows for the rest
_LIMITER_RATE = 96_000
_CLOSE_ENOUGH = 0.2  # LU
_MOST_PASSES = 5
_CORRECTION = 1.6  # times the error: the limiter takes back a part of every gain
LONGEST_STRETCH = 2.0
_SILENT = -69.0  # LUFS; the meter's floor is -70
_BLOCK = 48_000


class Samples(Protocol):
    """Samples in an array, or in a file."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice) -> numpy.ndarray: ...


@dataclass(frozen=True)
class Stored:
    """Samples in a file, from byte ``start`` on: a long sound takes hundreds of megabytes."""

    path: Path
    start: int
    count: int

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, part: slice) -> numpy.ndarray:
        """Read a part without steps."""
        first, end, _ = part.indices(self.count)
        return numpy.fromfile(self.path, "<i2", max(0, end - first), offset=self.start + 2 * first)

    def __array__(self, *_: Any, **__: Any) -> numpy.ndarray:
        """Read all of it."""
        return self[:]


@dataclass(frozen=True)
class Loudness:
    integrated: float  # LUFS
    true_peak: float  # dBTP


def resample(samples: numpy.ndarray, rate: int, to: int = SAMPLE_RATE) -> numpy.ndarray:
    """Return ``samples`` converted from ``rate`` to ``to`` Hz,
    with the same duration to the sample.
    """
    return _filter_samples(
        samples,
        rate,
        (("aresample", f"{to}:filter_size=64:phase_shift=10"),),
        round(len(samples) * to / rate),
    )


def measure(samples: numpy.ndarray) -> Loudness:
    """Return integrated loudness and true peak of ``samples`` (at SAMPLE_RATE),
    by libavfilter's ebur128.
    """
    metadata = _measure_loudness(samples, "metadata=1:peak=true")
    peak = max(float(metadata.get("lavfi.r128.true_peak", 0)), 1e-6)
    return Loudness(_read_integrated(metadata), 20 * float(numpy.log10(peak)))


def normalise(samples: Samples) -> numpy.ndarray:
    """Return ``samples`` at TARGET loudness with no true peak over CEILING. Raises NarrationError
    if they are silent.

    A gain alone would clip, because speech has peaks 16 dB above its loudness. A limiter reduces
    the peaks, and because that also reduces the loudness, the gain is corrected until the
    measurement agrees.
    """
    return _normalise_samples(samples)[0]


def find_needed_gain(samples: Samples) -> float:
    """Return the gain in dB with which :func:`normalise` makes ``samples`` as loud as they shall
    be; it raises the same. Voices with high peaks need more than others of the same loudness."""
    return _normalise_samples(samples)[1]


def _normalise_samples(samples: Samples) -> tuple[numpy.ndarray, float]:
    padded, gain = _pad_to_meter_block(samples), 0.0
    limited = numpy.zeros(len(padded), numpy.int16)
    for gain in _try_gains(padded, limited):
        _join_parts(_limit_peaks(padded, gain), limited)
    return limited[: len(samples)], gain


def normalise_stored(samples: Samples, path: Path) -> Stored:
    """Return the same as :func:`normalise`, in the file ``path``:
    a long sound takes hundreds of megabytes.
    """
    padded = _pad_to_meter_block(samples)
    limited = Stored(path, 0, len(padded))
    for gain in _try_gains(padded, limited):
        store_samples(_limit_peaks(padded, gain), path)
    return cut(limited, 0, len(samples))


def _try_gains(samples: Samples, limited: Samples) -> Iterator[float]:
    """Yield the gains (dB) to try.

    ``limited``: where the result is with the gain that was yielded last.
    """
    loudness = _read_integrated(_measure_loudness(samples))
    if loudness < _SILENT:
        raise NarrationError("The voice produced no sound.")
    gain = TARGET - loudness
    for _ in range(_MOST_PASSES):
        yield gain
        error = TARGET - _read_integrated(_measure_loudness(limited))
        if abs(error) <= _CLOSE_ENOUGH:
            return
        gain += _CORRECTION * error


def attenuate(samples: numpy.ndarray, loudness: float) -> numpy.ndarray:
    """Return ``samples``, which are at TARGET, at a lower ``loudness`` in LUFS.

    Raises ValueError if it is higher.
    """
    if loudness > TARGET:
        raise ValueError(
            f"{loudness} LUFS is louder than {TARGET} LUFS, over which peaks would clip"
        )
    return lower_by(samples, TARGET - loudness)


def lower_by(samples: numpy.ndarray, decibels: float) -> numpy.ndarray:
    """Return ``samples`` softer by a number of decibels."""
    return numpy.rint(samples * 10 ** (-decibels / 20)).astype(numpy.int16) if decibels else samples


def stretch(samples: numpy.ndarray, factor: float) -> numpy.ndarray:
    """Return ``samples`` stretched by ``factor`` (up to LONGEST_STRETCH) at the same pitch."""
    return _filter_samples(
        samples, SAMPLE_RATE, (("atempo", f"{1 / factor:.6f}"),), round(len(samples) * factor)
    )


def level_music(samples: numpy.ndarray) -> numpy.ndarray:
    """Return music without rumble and without the range of consonants,
    its soft and loud passages nearer to each other.
    """
    chain = (
        ("highpass", "f=70"),
        *[("lowpass", "f=3500")] * 2,
        ("dynaudnorm", "framelen=500:gausssize=31:peak=0.9:maxgain=4:targetrms=0.12"),
    )
    return _filter_samples(samples, SAMPLE_RATE, chain, len(samples))


def open_stored(path: Path) -> Stored:
    """Return the samples of a file of :func:`write_wav`'s kind, which are read from the disk only
    where they are used.
    """
    with path.open("rb") as file, wave.open(file) as header:
        count = header.getnframes()
    return Stored(path, path.stat().st_size - 2 * count, count)


def store_samples(parts: Iterable[numpy.ndarray], path: Path) -> Stored:
    """Write samples to a file, and return them."""
    with path.open("wb") as file:
        for part in parts:
            file.write(part.astype("<i2", copy=False).tobytes())
        return Stored(path, 0, file.tell() // 2)


@overload
def cut(samples: Stored, first: int, end: int) -> Stored: ...
@overload
def cut(samples: Samples, first: int, end: int) -> Samples: ...
def cut(samples: Samples, first: int, end: int) -> Samples:
    """Return a part of ``samples``; of those in a file nothing is read."""
    if isinstance(samples, Stored):
        return replace(
            samples, start=samples.start + 2 * first, count=max(0, min(end, len(samples)) - first)
        )
    return samples[first:end]


def cut_within_silence(samples: Samples, first: int, length: int) -> numpy.ndarray:
    """Return ``length`` samples from ``first``, which may be negative; outside the sound there is
    silence."""
    part = samples[max(0, first) : max(0, first + length)]
    before = max(0, -first)
    return numpy.pad(part, (before, max(0, length - before - len(part))))


def write_wav(path: Path, *sounds: Samples) -> None:
    """Write sounds, one after the other, as mono, 16 bits, SAMPLE_RATE."""
    with atomic_file.replace(path) as partial, wave.open(str(partial), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        for samples in sounds:
            for at in range(0, len(samples), _BLOCK):
                file.writeframesraw(samples[at : at + _BLOCK].astype("<i2", copy=False).data)


def _measure_loudness(samples: Samples, options: str = "metadata=1") -> dict[str, str]:
    metadata: dict[str, str] = {}
    for frame in _push_through(samples, SAMPLE_RATE, (("ebur128", options),)):
        metadata.update(frame.metadata)  # running values; the last frame, cut short, lacks some
    return metadata


def _read_integrated(metadata: dict[str, str]) -> float:
    return float(metadata.get("lavfi.r128.I", -70.0))


def _limit_peaks(samples: Samples, gain: float) -> Iterator[numpy.ndarray]:
    """Apply ``gain`` in dB and a look-ahead limiter, in floating point and oversampled,
    so that it sees true peaks.
    """
    chain = (
        ("aformat", "sample_fmts=dbl"),
        ("volume", f"{gain:.4f}dB:precision=double"),
        ("aresample", str(_LIMITER_RATE)),
        ("alimiter", f"limit={_ROOM:.5f}:attack=5:release=60:level=0:latency=1"),
        ("aresample", str(SAMPLE_RATE)),
    )
    return _filter_in_parts(samples, SAMPLE_RATE, chain, len(samples))


def _pad_to_meter_block(samples: Samples) -> Samples:
    """Pad short sounds: the meter works on blocks of 0.4 s,
    and would measure a shorter sound as silence.
    """
    return (
        samples
        if len(samples) >= SAMPLE_RATE
        else numpy.pad(samples[:], (0, SAMPLE_RATE - len(samples)))
    )


def _filter_samples(samples: Samples, rate: int, chain, length: int) -> numpy.ndarray:
    """Return ``length`` samples of the chain's output, cut or padded with silence."""
    output = numpy.zeros(length, numpy.int16)
    _join_parts(_filter_in_parts(samples, rate, chain, length), output)
    return output


def _join_parts(parts: Iterable[numpy.ndarray], output: numpy.ndarray) -> None:
    """Write parts into one array, because each copy of a long sound takes a hundred megabytes."""
    at = 0
    for part in parts:
        output[at : at + len(part)] = part
        at += len(part)


def _filter_in_parts(samples: Samples, rate: int, chain, length: int) -> Iterator[numpy.ndarray]:
    """Yield ``length`` samples of the chain's output, cut or padded with silence."""
    at = 0
    for frame in _push_through(
        samples, rate, (*chain, ("aformat", "sample_fmts=s16:channel_layouts=mono"))
    ):
        part = frame.to_ndarray().reshape(-1)[: length - at]
        yield part
        at += len(part)
    yield numpy.zeros(length - at, numpy.int16)


def _push_through(samples: Samples, rate: int, chain):
    """Push ``samples`` through libavfilter's ``chain`` of (filter, options),
    and yield the output.
    """
    graph = av.filter.Graph()
    ends = [
        graph.add_abuffer(
            sample_rate=rate, format="s16", layout="mono", time_base=Fraction(1, rate)
        )
    ]
    ends += [graph.add(name, options) for name, options in chain]
    ends.append(graph.add("abuffersink"))
    graph.link_nodes(*ends).configure()
    for at in range(0, len(samples), _BLOCK):
        block = av.AudioFrame.from_ndarray(
            samples[at : at + _BLOCK][None].copy(), format="s16", layout="mono"
        )
        block.sample_rate, block.pts = rate, at
        graph.push(block)
        heartbeat.send_heartbeat()
        yield from _pull_ready(graph)
    graph.push(None)
    yield from _pull_ready(graph)


def _pull_ready(graph):
    while True:
        try:
            yield graph.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return
