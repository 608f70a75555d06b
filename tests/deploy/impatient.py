"""The service's own worker with less patience, so that a test of it need not wait as long as
a client may.
"""

from svc.serving import worker
from svc.serving.worker import Worker

__all__ = ["Worker"]
worker.STALL_SECONDS = 2.0
