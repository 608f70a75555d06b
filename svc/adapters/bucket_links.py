"""Signed addresses for single requests to a bucket: the store's library signs them, and the guarded
sender makes the requests.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

if TYPE_CHECKING:
    from obstore.store import S3Credential

_VALID = timedelta(hours=6)  # longer than any single request may take


class Unusable(Exception):
    """The values do not describe a bucket; the text says why."""


class BucketLinks:
    """Signs requests to one bucket of S3, or of a service that speaks its protocol.

    It reaches no network itself.
    """

    def __init__(self, bucket: str, region: str, endpoint: str, key_id: str, secret: str):
        """``endpoint``: empty for AWS. Unusable: the values cannot be used."""
        virtual = not endpoint  # AWS wants the bucket in the host's name, others in the path
        try:
            # Whatever is not given here, the library takes from the environment, where the
            # operator's own credentials are.
            self._store = S3Store(
                bucket,
                region=region,
                endpoint=endpoint or f"https://{bucket}.s3.{region}.amazonaws.com",
                virtual_hosted_style_request=virtual,
                skip_signature=False,
                s3_express=False,
                request_payer=False,
                credential_provider=_wrap_credentials(key_id, secret),
                client_options={"allow_http": True},
            )
        except (BaseError, ValueError) as bad:
            raise Unusable(str(bad).partition("\n")[0][:200]) from None

    def make_link(self, method: Literal["GET", "HEAD", "PUT", "DELETE"], name: str) -> str:
        """Return the address at which ``method`` may be used on the object ``name``."""
        try:
            return obstore.sign(self._store, method, name, _VALID)
        except (BaseError, ValueError) as bad:
            raise Unusable(str(bad).partition("\n")[0][:200]) from None


def _wrap_credentials(key_id: str, secret: str) -> "Callable[[], S3Credential]":
    """Return a provider of exactly these credentials."""
    return lambda: {
        "access_key_id": key_id,
        "secret_access_key": secret,
        "token": None,
        "expires_at": None,
    }
