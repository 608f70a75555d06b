"""The client of the Partner Production API: trigger productions, follow them,
fetch their files, verify webhooks.
"""

from partner_production import errors, models
from partner_production._async.client import AsyncClient
from partner_production._sync.client import Client
from partner_production.api_version import API_VERSION
from partner_production.calls import VERSION as __version__
from partner_production.errors import (
    ApiError,
    CallCancelled,
    Conflict,
    ConnectionFailed,
    Forbidden,
    HashMismatch,
    InvalidRequest,
    InvalidResponse,
    InvalidSignature,
    NotFound,
    PartnerProductionError,
    ProductionCancelled,
    ProductionEnded,
    ProductionFailed,
    RateLimited,
    Unauthorized,
    Unavailable,
    WaitTimedOut,
)
from partner_production.responses import Response
from partner_production.retries import Retries
from partner_production.webhooks import verify_webhook

__all__ = [
    "API_VERSION",
    "ApiError",
    "AsyncClient",
    "CallCancelled",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "HashMismatch",
    "InvalidRequest",
    "InvalidResponse",
    "InvalidSignature",
    "NotFound",
    "PartnerProductionError",
    "ProductionCancelled",
    "ProductionEnded",
    "ProductionFailed",
    "RateLimited",
    "Response",
    "Retries",
    "Unauthorized",
    "Unavailable",
    "WaitTimedOut",
    "__version__",
    "errors",
    "models",
    "verify_webhook",
]
