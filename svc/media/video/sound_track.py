"""The sound of a finished video as a file of its own, for podcasts."""

from pathlib import Path

import av

from svc.base import atomic_file


def write_sound_track(video: Path, target: Path) -> None:
    """Write the sound of ``video`` to ``target``, an m4a, as it is encoded there.

    ValueError: there is none.
    """
    try:
        with atomic_file.replace(target) as partial, av.open(str(video)) as source:
            if not source.streams.audio:
                raise ValueError(f"{video.name} has no sound")
            with av.open(
                str(partial), "w", format="ipod", options={"movflags": "faststart"}
            ) as container:
                _copy_packets(source, container)
    except av.FFmpegError as error:
        raise ValueError(f"{video.name} cannot be read: {error.strerror}") from error


def _copy_packets(
    source: av.container.InputContainer, container: av.container.OutputContainer
) -> None:
    sound = source.streams.audio[0]
    track = container.add_stream_from_template(sound)
    for packet in source.demux(sound):
        if packet.dts is not None:
            packet.stream = track
            container.mux(packet)
