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

from svc.base.crypto import signing
from svc.base.errors import CommandError
from svc.base.version import VERSION
from svc.cli.agents import tools
from svc.cli.demo.client import Client

_INSTRUCTIONS = (
    "These tools make videos. Call list_accounts first; trigger with a topic and notes in Markdown; call follow with "
    "waitSeconds until the status is Published, Failed or Cancelled; then deliverables gives the files."
)
_UNAUTHORIZED = -32001
_THREADS = 200  # agents that follow productions at once; each waits in a thread
_LARGEST_REQUEST = 64 * 1024  # bytes, as of the API's bodies

Context = ServerRequestContext[Any, Any]
KeyOf = Callable[[Context], str]


def serve_stdio(base_url: str, key: str) -> None:
    """Serve one agent through standard input and output until it closes them. CommandError: the key is refused."""
    checked = _ordinary(key)
    tools.permitted(Client(base_url, checked))  # a wrong key or address is said at once, and not to a model later
    anyio.run(_over_stdio, _server(base_url, lambda _: checked))


async def _over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def serve_http(base_url: str, host: str, port: int, hosts: tuple[str, ...]) -> None:
    """Serve any number of agents over HTTP until the process is ended. Each request brings its key; nothing is kept of it."""
    own = {f"{name}:{port}" for name in (host, "127.0.0.1", "localhost")}
    # A page in somebody's browser may send requests to this machine under a name of its own (DNS rebinding); those are refused.
    names = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*own, *hosts],
        allowed_origins=[f"https://{name}" for name in hosts],
    )
    app = _server(base_url, _key_of_request).streamable_http_app(
        stateless_http=True, json_response=True, transport_security=names, max_request_body_size=_LARGEST_REQUEST, host=host
    )
    logging.getLogger("mcp").setLevel(logging.WARNING)
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)


def _server(base_url: str, key_of: KeyOf) -> Server[Any]:
    """Return a server whose tools call the service at ``base_url`` with the key that ``key_of`` finds."""
    threads = anyio.CapacityLimiter(_THREADS)

    async def list_tools(context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        client = Client(base_url, key_of(context))
        try:
            permitted = await anyio.to_thread.run_sync(tools.permitted, client, limiter=threads)
        except CommandError as refused:
            raise MCPError(_UNAUTHORIZED, str(refused)) from refused
        return types.ListToolsResult(tools=[_described(each) for each in permitted])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        client = Client(base_url, key_of(context))
        try:
            tool, arguments = tools.named(params.name), params.arguments or {}
            _validate(arguments, tool)
            answer = await anyio.to_thread.run_sync(tool.call, client, arguments, abandon_on_cancel=True, limiter=threads)
        except CommandError as refused:
            return types.CallToolResult(content=[types.TextContent(text=str(refused))], is_error=True)
        text = json.dumps(answer, ensure_ascii=False)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)

    return Server(
        "partner-production", version=VERSION, title="Partner Production API", instructions=_INSTRUCTIONS,
        on_list_tools=list_tools, on_call_tool=call_tool,
    )  # fmt: skip


def _described(tool: tools.Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.is_reading, destructive_hint=tool.name == "cancel")
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema, annotations=hints)


def _validate(arguments: dict[str, Any], tool: tools.Tool) -> None:
    """CommandError: the arguments are not as the tool's schema wants them; the text names what is wrong."""
    problems = sorted(jsonschema.Draft202012Validator(tool.schema).iter_errors(arguments), key=lambda each: each.json_path)
    if problems:
        raise CommandError("; ".join(f"{each.json_path.removeprefix('$.')}: {each.message[:300]}" for each in problems[:5]))


def _key_of_request(context: Context) -> str:
    """Return the key that came with an HTTP request. MCPError: there is none."""
    headers = context.request.headers if context.request is not None else {}
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    key = headers.get("x-api-key") or (bearer.strip() if scheme.lower() == "bearer" else "")
    if not key:
        raise MCPError(_UNAUTHORIZED, "Send your API key as X-API-Key, or as Authorization: Bearer.")
    try:
        return _ordinary(key)
    except CommandError as refused:
        raise MCPError(_UNAUTHORIZED, str(refused)) from refused


def _ordinary(key: str) -> str:
    """Return a key. CommandError: it is an activation key, which the first use would spend, or no key at all."""
    if key.startswith(signing.ACTIVATION_PREFIX):
        raise CommandError("This is an activation key. Exchange it for a live key first: GET /v1/partners/verify.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise CommandError("This is no API key: they begin with svc_live_ or svc_test_.")
    return key
