"""The server of the Model Context Protocol: lists the tools that a key may use, and calls them."""

import json
import logging
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
import jsonschema
import mcp_types as types
import uvicorn
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from svc.base.crypto import signing
from svc.base.errors import CommandError
from svc.base.version import VERSION
from svc.cli.agents import tools
from svc.cli.agents.tool import Tool, tidy_arguments
from svc.cli.demo.client import Client, check_key

_INSTRUCTIONS = (
    "These tools make videos. Call list_accounts first; trigger with a topic and notes in "
    "Markdown; call follow with waitSeconds until the status is Published, Failed or Cancelled; "
    "then deliverables gives the files."
)
_UNAUTHORIZED = -32001
_PATH = "/mcp"
_REALM = b'Bearer realm="API key, also as X-API-Key"'
_NO_KEY = "Send your API key as X-API-Key, or as Authorization: Bearer."
_LONGEST_REFUSAL = 4096  # bytes
_PATIENCE = 8  # seconds that a call waits for the rate limit: it ends before programs give it up
_THREADS = 200  # agents that follow productions at once; each waits in a thread
_LARGEST_REQUEST = 4 * 2**20 + 64 * 2**10  # bytes: a table of the API, and what is around it

Context = ServerRequestContext[Any, Any]
KeyOf = Callable[[Context], str]


def serve_stdio(base_url: str, key: str, prefix: str) -> None:
    """Serve one agent through standard input and output until it closes them.

    CommandError: the key is refused.
    """
    authenticated = _require_ordinary_key(key)
    # a wrong key or address is said at once, and not to a model later
    tools.list_permitted(Client(base_url, authenticated))
    anyio.run(_serve_stdio, _build_server(base_url, lambda _: authenticated, prefix))


async def _serve_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def serve_http(
    base_url: str, host: str, port: int, hosts: tuple[str, ...], prefix: str = ""
) -> None:
    """Serve any number of agents over HTTP until the process is ended.

    Each request brings its key; nothing is kept of it.
    """
    own_hosts = {f"{name}:{port}" for name in (host, "127.0.0.1", "localhost")}
    # A page in somebody's browser may send requests to this machine under a name of its own (DNS
    # rebinding); those are refused.
    names = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*own_hosts, *hosts],
        allowed_origins=[f"https://{name}" for name in hosts],
    )
    app = _build_server(base_url, _find_key_of_request, prefix).streamable_http_app(
        stateless_http=True,
        json_response=True,
        transport_security=names,
        max_request_body_size=_LARGEST_REQUEST,
        host=host,
    )
    logging.getLogger("mcp").setLevel(logging.WARNING)
    try:
        uvicorn.run(Challenge(app), host=host, port=port, log_level="warning", access_log=False)
    except SystemExit as ended:  # with a status of uvicorn's own
        raise CommandError(
            f"Nothing can listen at {host}:{port}, for the reason above. --host and --http name "
            "another address."
        ) from ended


class Challenge:
    """An ASGI application that answers 401 with a challenge (RFC 9110, 11.6.1) where a key is
    missing or refused.

    It also takes the address with a slash at its end, as some clients write it, without a redirect.
    """

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if scope["path"] == f"{_PATH}/":
            scope = {**scope, "path": _PATH, "raw_path": _PATH.encode()}
        if not {b"x-api-key", b"authorization"} & {name.lower() for name, _ in scope["headers"]}:
            error = {"code": _UNAUTHORIZED, "message": _NO_KEY}
            refusal = JSONResponse(
                {"jsonrpc": "2.0", "id": None, "error": error},
                401,
                {"WWW-Authenticate": _REALM.decode()},
            )
            return await refusal(scope, receive, send)
        pending_messages: list[Message] = []

        async def answer(message: Message) -> None:
            """Hold the beginning of an answer back until its body says whether the
            key was refused.
            """
            if message["type"] == "http.response.start":
                pending_messages.append(message)
                return
            if pending_messages:
                start = pending_messages.pop()
                if start["status"] == 200 and _is_refused(message.get("body", b"")):
                    start = {
                        **start,
                        "status": 401,
                        "headers": [*start["headers"], (b"www-authenticate", _REALM)],
                    }
                await send(start)
            await send(message)

        return await self._app(scope, receive, answer)


def _is_refused(body: bytes) -> bool:
    """Return whether an answer is the error of a key that is missing or refused."""
    if len(body) > _LONGEST_REFUSAL or str(_UNAUTHORIZED).encode() not in body:
        return False
    try:
        return json.loads(body)["error"]["code"] == _UNAUTHORIZED
    except (ValueError, TypeError, KeyError):
        return False


def _build_server(base_url: str, key_of: KeyOf, prefix: str) -> Server[Any]:
    """Return a server whose tools call the service at ``base_url`` with the key that ``key_of``
    finds.

    ``prefix``: what the names of the tools begin with, so that one program can have those of two
    servers.
    """
    threads = anyio.CapacityLimiter(_THREADS)

    async def list_tools(
        context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        client = Client(base_url, key_of(context), _PATIENCE)
        try:
            permitted_tools = await anyio.to_thread.run_sync(
                tools.list_permitted, client, limiter=threads
            )
        except CommandError as refused:
            raise MCPError(_UNAUTHORIZED, str(refused)) from refused
        return types.ListToolsResult(
            tools=[describe_tool(each, prefix) for each in permitted_tools]
        )

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        client = Client(base_url, key_of(context), _PATIENCE)
        try:
            tool = tools.find_tool(params.name.removeprefix(prefix))
            arguments = tidy_arguments(params.arguments or {}, tool.schema)
            _validate(arguments, tool)
            answer = await anyio.to_thread.run_sync(
                tool.call, client, arguments, abandon_on_cancel=True, limiter=threads
            )
        except CommandError as refused:
            return types.CallToolResult(
                content=[types.TextContent(text=str(refused))], is_error=True
            )
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(
            content=[types.TextContent(text=text)], structured_content=answer
        )

    return Server(
        f"{prefix}partner-production",
        version=VERSION,
        title="Partner Production API",
        instructions=_write_instructions(prefix),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _write_instructions(prefix: str) -> str:
    prefix_sentence = f" The names of all tools begin with {prefix}." if prefix else ""
    return _INSTRUCTIONS + prefix_sentence


def describe_tool(tool: Tool, prefix: str = "") -> types.Tool:
    """Return a tool as it is listed."""
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.is_reading,
        destructive_hint=tool.is_destructive,
        idempotent_hint=tool.is_reading or tool.is_destructive,
        open_world_hint=tool.is_public,
    )
    return types.Tool(
        name=f"{prefix}{tool.name}",
        title=tool.title,
        description=tool.description,
        input_schema=tool.listed_schema,
        output_schema=tool.output_schema,
        annotations=hints,
    )


def _validate(arguments: dict[str, Any], tool: Tool) -> None:
    """Check the arguments against the tool's schema. CommandError: they do not match; the text
    names the problem.
    """
    problems = sorted(
        jsonschema.Draft202012Validator(tool.schema).iter_errors(arguments),
        key=lambda each: each.json_path,
    )
    if problems:
        raise CommandError(
            "; ".join(
                f"{each.json_path.removeprefix('$.')}: {each.message[:300]}"
                for each in problems[:5]
            )
        )


def _find_key_of_request(context: Context) -> str:
    """Return the key that came with an HTTP request. MCPError: there is none."""
    headers = context.request.headers if context.request is not None else {}
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    key = headers.get("x-api-key") or (bearer.strip() if scheme.lower() == "bearer" else "")
    if not key:
        raise MCPError(_UNAUTHORIZED, _NO_KEY)
    try:
        return _require_ordinary_key(key)
    except CommandError as refused:
        raise MCPError(_UNAUTHORIZED, str(refused)) from refused


def _require_ordinary_key(key: str) -> str:
    """Return a key.

    CommandError: it is an activation key, which the first use would spend, or no key at all.
    """
    if key.startswith(signing.ACTIVATION_PREFIX):
        raise CommandError(
            "This is an activation key. Exchange it for a live key first: GET /v1/partners/verify."
        )
    check_key(key)
    return key
