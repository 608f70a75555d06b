"""Accounts, and the languages and countries of briefs."""

from collections.abc import AsyncIterator, Sequence
from typing import Unpack

from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call, path
from partner_production.models import Account, Country, Language, Lexicon, LexiconEntry, PortalLink
from partner_production.options import AsyncPostOptions, AsyncRequestOptions


class Accounts:
    """The accounts that the key may use."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    def list(self, **options: Unpack[AsyncRequestOptions]) -> AsyncIterator[Account]:
        """Yield every account."""
        return self._transport.entries(Call("GET", "/v1/accounts", **options), Account)

    async def get(self, account_id: str, **options: Unpack[AsyncRequestOptions]) -> Account:
        """Return an account."""
        return await self._transport.send(
            Call("GET", path("/v1/accounts/{id}", id=account_id), **options), Account
        )

    async def lexicon(self, account_id: str, **options: Unpack[AsyncRequestOptions]) -> Lexicon:
        """Return how an account's productions speak words that are written otherwise."""
        return await self._transport.send(
            Call("GET", path("/v1/accounts/{id}/lexicon", id=account_id), **options), Lexicon
        )

    async def replace_lexicon(
        self,
        account_id: str,
        entries: Sequence[LexiconEntry],
        **options: Unpack[AsyncRequestOptions],
    ) -> Lexicon:
        """Replace the whole pronunciation lexicon of an account, and return it."""
        call = Call(
            "PUT",
            path("/v1/accounts/{id}/lexicon", id=account_id),
            body={"entries": list(entries)},
            **options,
        )
        return await self._transport.send(call, Lexicon)

    async def portal_link(
        self, account_id: str, expires_in_minutes: int = 60, **options: Unpack[AsyncPostOptions]
    ) -> PortalLink:
        """Return a link to the account's page for your own customers."""
        address = path("/v1/accounts/{id}/portal-links", id=account_id)
        call = Call("POST", address, body={"expiresInMinutes": expires_in_minutes}, **options)
        return await self._transport.send(call, PortalLink)


class Places:
    """Languages and countries, which briefs name by their identifiers."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    def languages(self, **options: Unpack[AsyncRequestOptions]) -> AsyncIterator[Language]:
        """Yield every language that narration can speak."""
        return self._transport.entries(Call("GET", "/v1/languages", **options), Language)

    def countries(self, **options: Unpack[AsyncRequestOptions]) -> AsyncIterator[Country]:
        """Yield every country."""
        return self._transport.entries(Call("GET", "/v1/countries", **options), Country)

    async def language_id(self, code: str, **options: Unpack[AsyncRequestOptions]) -> str:
        """Return the ``languageId`` of a BCP 47 code such as ``en``.

        LookupError: narration does not speak it.
        """
        async for each in self.languages(**options):
            if each["code"].lower() == code.lower():
                return each["languageId"]
        raise LookupError(f"there is no language {code!r}; languages() yields those there are")

    async def country_id(self, code: str, **options: Unpack[AsyncRequestOptions]) -> str:
        """Return the ``countryId`` of an ISO 3166 code such as ``US``.

        LookupError: there is none.
        """
        async for each in self.countries(**options):
            if each["code"].lower() == code.lower():
                return each["countryId"]
        raise LookupError(f"there is no country {code!r}; countries() yields those there are")
