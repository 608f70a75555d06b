"""YouTube: a video on a channel, with captions and poster, over the Data API v3
with resumable uploads.
"""

from svc.platforms.youtube.place import DESCRIPTION, YouTube

__all__ = ["DESCRIPTION", "YouTube"]
