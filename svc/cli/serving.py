"""The former name of :mod:`svc.serving.gunicorn_config`, which units written for earlier releases
give to gunicorn.
"""

from svc.serving.gunicorn_config import *  # noqa: F403 - gunicorn reads whatever stands here
