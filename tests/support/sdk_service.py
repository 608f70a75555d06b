"""Both halves of the Python SDK against answers that a test makes up, in place of a service."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any

import httpx
from partner_production import AsyncClient, Client, Retries

BASE = "https://media.example.com/prefix"
KEY = "svc_test_secret"
QUICK = Retries(after_no_answer=(0, 0), after_server_error=(0, 0))
BRIEF = {"topic": "Tides", "languageId": "l", "countryId": "c", "avatarId": "a"}


class Service:
    """Gives its answers in their order, the last one for ever, and keeps the requests;
    an answer may be an exception.
    """

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, stream=answer.stream)


def ok(body=None, **headers) -> httpx.Response:
    return httpx.Response(200, json={} if body is None else body, headers=headers)


def refusal(status: int, code: str, wait=None, **more) -> httpx.Response:
    return httpx.Response(
        status,
        json={
            "error": code,
            "message": "No.",
            "retryAfterSeconds": wait,
            "correlationId": "c1",
            **more,
        },
    )


def asker(half: str) -> Callable[..., Any]:
    """Return ``ask(service, call)``: what ``call(client)`` gives, of the half ``sync`` or
    ``async``; iterators become lists.

    ``ask.event()``: an event that this half takes as ``cancel``.
    """

    def plainly(service, call, retries=QUICK, **settings):
        http_client = httpx.Client(transport=httpx.MockTransport(service))
        with Client(BASE, KEY, retries=retries, http_client=http_client, **settings) as client:
            result = call(client)
            return list(result) if inspect.isgenerator(result) else result

    async def patiently(service, call, retries=QUICK, **settings):
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(service))
        async with AsyncClient(
            BASE, KEY, retries=retries, http_client=http_client, **settings
        ) as client:
            result = call(client)
            return [each async for each in result] if inspect.isasyncgen(result) else await result

    def run(*arguments, **more):
        return asyncio.run(patiently(*arguments, **more))

    run.event, plainly.event = asyncio.Event, threading.Event
    return plainly if half == "sync" else run
