"""What --help says of every command: each option has a sentence, and none is cut."""

from collections import Counter
from collections.abc import Iterator

import click

from svc.cli import commands


def walk(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    """Yield the context of a command, and of all below it."""
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            each = command.get_command(context, name)
            yield from walk(each, click.Context(each, info_name=name, parent=context))


def list_options() -> list[tuple[str, click.Option]]:
    """Return the options of all commands, each with what one types."""
    program = click.Context(commands.main, info_name="app.py")
    return [
        (f"{context.command_path} {option.opts[0]}", option)
        for context in walk(commands.main, program)
        for option in context.command.params
        if isinstance(option, click.Option)
    ]


def test_each_option_has_a_sentence():
    options = list_options()
    assert len(options) > 200
    assert [typed for typed, option in options if not option.help] == []


def test_an_option_that_may_be_given_several_times_says_so():
    several = [(typed, option) for typed, option in list_options() if option.multiple]
    assert len(several) > 10
    assert [typed for typed, option in several if "repeatable" not in option.help] == []


def test_no_sentence_of_a_list_of_commands_is_cut():
    program = click.Context(commands.main, info_name="app.py", terminal_width=80)
    for context in walk(commands.main, program):
        if isinstance(context.command, click.Group):
            listed = context.command.get_help(context).partition("Commands:")[2]
            assert listed and "..." not in listed, context.command_path


def test_each_command_has_a_module_of_its_own():
    modules = Counter(name.partition(":")[0] for name, _ in commands._COMMANDS.values())
    assert len(modules) > 20
    assert [module for module, number in modules.items() if number > 1] == []
