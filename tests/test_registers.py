"""What a module declares for a register is entered in it; otherwise the failure names the place.

Quality gates, health checks and looks need no entry: their registers read a whole folder.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType

import click
import flask

import svc.api.resources
import svc.cli
import svc.console
import svc.platforms
import svc.public
from svc.base.connectors import Connector
from svc.base.processes import entry_points
from svc.cli import commands
from svc.console import navigation
from svc.platforms import PLACES
from tests.support.documents import ROOT, require_names

ICONS = (ROOT / "svc" / "console" / "templates" / "components.html").read_text("utf-8")


def list_modules(package: ModuleType) -> Iterator[ModuleType]:
    """Import the modules of a package and of the packages in it."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def list_declared(package: ModuleType, kind: type) -> dict[str, object]:
    """The objects of ``kind`` that the modules of a package have, by ``module.name``."""
    return {
        f"{module.__name__}.{name}": value
        for module in list_modules(package)
        for name, value in vars(module).items()
        if isinstance(value, kind)
    }


def list_commands(listed: dict[str, click.Command]) -> Iterator[click.Command]:
    """The commands, and those of groups among them."""
    for command in listed.values():
        yield command
        if isinstance(command, click.Group):
            yield from list_commands(command.commands)


def require_entries(place: str, declared: dict[str, object], entered: list[object]) -> None:
    """Require that what is declared is entered in a register, which ``place`` describes."""
    known = {id(each) for each in entered}
    require_names(place, {name for name, each in declared.items() if id(each) in known}, declared)


def test_every_blueprint_is_registered(assembled):
    entered = list(assembled.blueprints.values())
    for package, place in (
        (svc.api.resources, "_BLUEPRINTS in svc/application.py"),
        (svc.console, "_PAGES in svc/application.py"),
        (svc.public, "app.register_blueprint in assemble() of svc/application.py"),
    ):
        require_entries(place, list_declared(package, flask.Blueprint), entered)


def test_every_command_is_one_of_app_py():
    listed = {
        name: entry_points.load_command(place) for name, (place, _) in commands._COMMANDS.items()
    }
    declared = list_declared(svc.cli, click.Command)
    declared.pop("svc.cli.commands.main")  # the program itself
    require_entries("_COMMANDS in svc/cli/commands.py", declared, [*list_commands(listed)])


def test_every_kind_of_place_is_offered():
    declared = {
        f"{kind.__module__}.{kind.__name__}"
        for module in list_modules(svc.platforms)
        for kind in vars(module).values()
        if inspect.isclass(kind) and isinstance(getattr(kind, "description", None), Connector)
    }
    offered = {f"{type(place).__module__}.{type(place).__name__}" for place in PLACES.values()}
    require_names("_PLACES in svc/platforms/__init__.py", offered, declared)


def test_every_link_of_the_console_leads_to_a_page_and_has_its_icon(assembled):
    links = [link for _, links in navigation._SECTIONS for link in links]
    named = {link[1] for link in links} | {action[1] for action in navigation._ACTIONS}
    known = named & assembled.view_functions.keys()
    require_names("pages of the console that svc/console/navigation.py names", known, named)
    drawn = re.findall(r'name == "(\w+)"', ICONS)
    icons = {link[2] for link in links}
    require_names("icon() in svc/console/templates/components.html", icons & {*drawn}, icons)
