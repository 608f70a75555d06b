"""Whatever people do in the console or by a command is entered in the audit log, or is named here
with the reason why it is not.

The calls are read from the source, so that a new form or command is found before anybody tries it.
"""

from collections.abc import Iterator

import click
import pytest
from support import call_graph

from svc.cli import commands

RECORDING = "svc.domain.audit.audit.recording"
CONSOLE, CLI = ("svc.console.", "svc.public."), ("svc.cli.",)
# What people's actions call that changes rows, and why that is not in the audit log.
NOT_AUDITED = {
    "svc.cli.installation.seed.make_partner": "made before anybody uses the installation",
    "svc.domain.master_keys.open_ring": "notes the keys that are in use",
    "svc.domain.access.rotation.await_all": "goes on with the key whose addition is entered",
    "svc.domain.access.rotation.begin": "entered by the command, as without PostgreSQL",
    "svc.domain.edits.open_merge": "the transaction of what its block does",
    "svc.domain.monitoring.metrics.start": "sums of what was counted",
    "svc.domain.monitoring.metrics.stop": "sums of what was counted",
    "svc.domain.people.password_reset.count": "a counter of tries",
    "svc.domain.people.saved_filters.remove": "a list's filter that only its owner sees",
    "svc.domain.people.saved_filters.save": "a list's filter that only its owner sees",
    "svc.domain.people.second_factor.begin_setup": "nothing is on before it is confirmed",
    "svc.domain.people.users.confirm_password": "a counter of tries",
    "svc.domain.watch.performance.record_progress": "viewers, who are nobody to the service",
    "svc.domain.watch.performance.start_play": "viewers, who are nobody to the service",
    "svc.work.publishing.connections.Connections.run_beside_request": "an audited action itself",
    "svc.work.publishing.connections.Connections.try_connection": "whether the place answers",
    "svc.work.worker.Worker.run": "a process, which acts for nobody",
}
CHANGES_NOTHING = {  # forms that show something
    "avatar_pages.sample": "the voice",
    "connection_pages.sign_in": "the page that leads to the place",
    "people.nothing": "that there is no such page",
    "template_pages.preview": "what it would cost",
    "template_pages.scenes": "the scenes",
    "trigger_pages.call": "the call of the API",
    "trigger_pages.scenes": "the scenes",
}


@pytest.fixture
def forms(app) -> dict[str, str]:
    """The functions that answer the forms of the console, by their endpoints."""
    answering = {
        rule.endpoint: call_graph.name_of(app.view_functions[rule.endpoint])
        for rule in app.url_map.iter_rules()
        if "POST" in rule.methods
    }
    return {name: each for name, each in answering.items() if each.startswith(CONSOLE)}


def programs(command: click.Command, name: str = "") -> Iterator[tuple[str, str]]:
    """The functions of all commands, by their names."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            yield from programs(command.get_command(context, each), f"{name} {each}".strip())
    if name and command.callback:
        yield name, call_graph.name_of(command.callback)


def is_audited(function: str) -> bool:
    return RECORDING in call_graph.reached_from(function)


def changing_from(function: str, layers: tuple[str, ...]) -> set[str]:
    """What a form or a command calls that changes rows and does not enter it in the audit log."""
    harmless = frozenset({"svc.domain.master_keys.open_ring"})
    return {
        each
        for each in call_graph.entries_from(function, layers)
        if call_graph.TRANSACTION in call_graph.reached_from(each, harmless - {each})
        and not is_audited(each)
    }


def test_whatever_a_form_changes_is_audited(forms):
    assert len(forms) > 90
    found = {
        name: changing_from(each, CONSOLE) - NOT_AUDITED.keys() for name, each in forms.items()
    }
    assert {name: which for name, which in found.items() if which} == {}


def test_a_form_that_is_not_audited_has_its_reason(forms):
    """So that nothing hides behind a call that cannot be read from the source."""
    silent = {name for name, each in forms.items() if not is_audited(each)}
    assert {name for name in silent if not changing_from(forms[name], CONSOLE)} == set(
        CHANGES_NOTHING
    )


def test_whatever_a_command_changes_is_audited():
    found = {name: changing_from(each, CLI) - NOT_AUDITED.keys() for name, each in all_programs()}
    assert {name: which for name, which in found.items() if which} == {}


def all_programs() -> list[tuple[str, str]]:
    return list(programs(commands.main))


def test_no_reason_has_outlived_what_it_is_for(forms):
    called = {each for name in forms.values() for each in changing_from(name, CONSOLE)}
    called |= {each for _, name in all_programs() for each in changing_from(name, CLI)}
    assert called == NOT_AUDITED.keys()


def test_pages_that_are_only_read_enter_nothing(app):
    """What may be called is not taken for more than it is: a way to the audit log is one that an
    action takes. The one page that does act finishes a sign-in, to which a place leads back."""
    pages = {
        rule.endpoint: call_graph.name_of(app.view_functions[rule.endpoint])
        for rule in app.url_map.iter_rules()
        if "POST" not in rule.methods
    }
    acting = {name for name, each in pages.items() if each.startswith(CONSOLE) and is_audited(each)}
    assert acting == {"connection_pages.signed_in"}


def test_nothing_enters_the_audit_log_but_recording():
    """What the log says of itself aside."""
    entering = {
        name
        for name in call_graph.all_functions()
        if "svc.domain.audit.audit_chain.append" in call_graph.calls_of(name)
    }
    assert entering == {"svc.domain.audit.audit._append_entry"}
