"""Accounts, and the languages and countries of briefs."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from collections.abc import Iterator, Sequence
from typing import Unpack

from partner_production._sync.transport import Transport
from partner_production.calls import Call, path
from partner_production.models import Account, Country, Language, Lexicon, LexiconEntry, PortalLink
from partner_production.options import PostOptions, RequestOptions


class Accounts:
    """The accounts that the key may use."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(self, **options: Unpack[RequestOptions]) -> Iterator[Account]:
        """Yield every account."""
        return self._transport.entries(Call("GET", "/v1/accounts", **options), Account)

    def get(self, account_id: str, **options: Unpack[RequestOptions]) -> Account:
        """Return an account."""
        return self._transport.send(
            Call("GET", path("/v1/accounts/{id}", id=account_id), **options), Account
        )

    def lexicon(self, account_id: str, **options: Unpack[RequestOptions]) -> Lexicon:
        """Return how an account's productions speak words that are written otherwise."""
        return self._transport.send(
            Call("GET", path("/v1/accounts/{id}/lexicon", id=account_id), **options), Lexicon
        )

    def replace_lexicon(
        self,
        account_id: str,
        entries: Sequence[LexiconEntry],
        **options: Unpack[RequestOptions],
    ) -> Lexicon:
        """Replace the whole pronunciation lexicon of an account, and return it."""
        call = Call(
            "PUT",
            path("/v1/accounts/{id}/lexicon", id=account_id),
            body={"entries": list(entries)},
            **options,
        )
        return self._transport.send(call, Lexicon)

    def portal_link(
        self, account_id: str, expires_in_minutes: int = 60, **options: Unpack[PostOptions]
    ) -> PortalLink:
        """Return a link to the account's page for your own customers."""
        address = path("/v1/accounts/{id}/portal-links", id=account_id)
        call = Call("POST", address, body={"expiresInMinutes": expires_in_minutes}, **options)
        return self._transport.send(call, PortalLink)


class Places:
    """Languages and countries, which briefs name by their identifiers."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def languages(self, **options: Unpack[RequestOptions]) -> Iterator[Language]:
        """Yield every language that narration can speak."""
        return self._transport.entries(Call("GET", "/v1/languages", **options), Language)

    def countries(self, **options: Unpack[RequestOptions]) -> Iterator[Country]:
        """Yield every country."""
        return self._transport.entries(Call("GET", "/v1/countries", **options), Country)

    def language_id(self, code: str, **options: Unpack[RequestOptions]) -> str:
        """Return the ``languageId`` of a BCP 47 code such as ``en``.

        LookupError: narration does not speak it.
        """
        for each in self.languages(**options):
            if each["code"].lower() == code.lower():
                return each["languageId"]
        raise LookupError(f"there is no language {code!r}; languages() yields those there are")

    def country_id(self, code: str, **options: Unpack[RequestOptions]) -> str:
        """Return the ``countryId`` of an ISO 3166 code such as ``US``.

        LookupError: there is none.
        """
        for each in self.countries(**options):
            if each["code"].lower() == code.lower():
                return each["countryId"]
        raise LookupError(f"there is no country {code!r}; countries() yields those there are")
