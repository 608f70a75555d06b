"""YouTube: ``place`` is the kind of place, ``channel`` has the requests that it sends."""

from svc.platforms.youtube.place import DESCRIPTION, YouTube

__all__ = ["DESCRIPTION", "YouTube"]
