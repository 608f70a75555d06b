"""``python app.py user``: the users of the console."""

import sys

import click

from svc.base import clock, settings
from svc.base.errors import CommandError
from svc.base.processes import owner
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.cli.records.filters import require_named
from svc.domain.people import identity, second_factor, sessions, users
from svc.store import database

user = command_support.group("user", "Users of the console.")
_COLUMNS = ("id", "email", "name", "role", "partner_id", "created_at", "disabled_at")
_ROLE = click.option(
    "--role",
    type=click.Choice(identity.ROLES),
    required=True,
    help="An operator runs the service; an owner manages a partner; a member only reads.",
)
_PARTNER = click.option(
    "--partner", "partner_id", help="The partner of an owner or member; operators have none."
)


@command(user, "list")
@click.option("--partner", "partner_id", help="Show only this partner's users.")
def list_(partner_id):
    """List users, oldest first."""
    require_named(partner_id)
    rows = users.list_all_users() if partner_id is None else users.list_users(partner_id)
    return [to_plain_row(row, *_COLUMNS) for row in rows]


@user.command("add")
@click.argument("email")
@click.option("--name", required=True, help="The person's name.")
@_ROLE
@_PARTNER
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def add(email, name, role, partner_id, password_stdin, as_json):
    """Add a user, such as the first operator of a new server.

    Prompts for the password, or reads it from standard input.
    """
    config = settings.read()
    owner.become_owner(config.data_dir)
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    database.open_database(config.database, config.database_url)
    user_id = users.add(
        get_terminal_user().actor,
        email,
        name,
        _read_password(password_stdin),
        role,
        partner_id,
        clock.now(),
    )
    command_support.write_result(
        Done(
            f"added {email}; sign in at {config.base_url}/console/",
            {"id": user_id, "email": email},
        ),
        as_json,
    )


@command(user, "invite")
@_ROLE
@_PARTNER
@click.option("--email", help="The e-mail address of the new user; by default the user enters it.")
def invite(role, partner_id, email):
    """Create a one-time link with which a new user registers."""
    token = users.invite(get_terminal_user().actor, role, partner_id, clock.now(), email=email)
    return _link(token)


@command(user, "set", formerly="change")
@click.argument("email")
@click.option("--role", type=click.Choice(identity.ROLES), help="The new role.")
@click.option(
    "--disabled",
    type=click.Choice(("on", "off")),
    help="Whether the user is prevented from signing in.",
)
def change(email, role, disabled):
    """Change a user's role, or prevent the user from signing in."""
    row = _find(email)
    is_disabled = None if disabled is None else disabled == "on"
    users.change(get_terminal_user().actor, row["id"], clock.now(), role=role, disabled=is_disabled)
    return to_plain_row(_find(email), *_COLUMNS)


@command(user, "set-password", formerly="password")
@click.argument("email")
@click.option(
    "--link",
    "as_link",
    is_flag=True,
    help="Create a one-time link instead, with which the user chooses a password.",
)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def password(email, as_link, password_stdin):
    """Set a new password for a user; the user's sessions end."""
    row = _find(email)
    if as_link:
        token = users.invite(
            get_terminal_user().actor,
            row["role"],
            row["partner_id"],
            clock.now(),
            email=row["email"],
            user_id=row["id"],
        )
        return _link(token, f"{users.PASSWORD_LINK // clock.HOUR} hours")
    users.set_password(
        get_terminal_user().actor, row["id"], _read_password(password_stdin), clock.now()
    )
    return Done(f"{row['email']} has a new password", {"email": row["email"]})


@command(user, "sessions")
@click.argument("email")
@click.option("--end", "ending", is_flag=True, help="End all sessions.")
def sessions_(email, ending):
    """List the sessions of a user, or end them."""
    user_id = _find(email)["id"]
    if ending:
        ended_count = sessions.end_others(user_id, "", get_terminal_user().actor, clock.now())
        return Done(f"ended {ended_count}", {"ended": ended_count})
    rows = sessions.list_sessions(user_id, clock.now())
    return [to_plain_row(row, "id", "address", "browser", "created_at", "seen_at") for row in rows]


@command(user, "totp-reset")
@click.argument("email")
def totp_reset(email):
    """Remove the second factor of a user who has lost it; the user's sessions end.

    Verify the user's identity first.
    """
    row = _find(email)
    second_factor.reset(get_terminal_user().actor, row["id"], clock.now())
    return Done(f"{row['email']} now signs in with only the password", {"email": row["email"]})


def _find(email: str):
    row = users.find(email)
    if row is None:
        raise CommandError(
            f"No user has the e-mail address {email}; `python app.py user list` lists all users."
        )
    return row


def _link(token: str, validity: str = f"{users.INVITATION // clock.DAY} days") -> Done:
    address = f"{settings.read().base_url}/console/welcome/{token}"
    return Done(f"{address}\nIt works once, within {validity}.", {"link": address})


def _read_password(from_stdin: bool) -> str:
    if not from_stdin and not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask for the password at; use --password-stdin.")
    try:
        password = (
            sys.stdin.readline().rstrip("\r\n")  # also of Windows
            if from_stdin
            else click.prompt("Password", hide_input=True, confirmation_prompt=True)
        )
        password.encode("utf-8")  # refuses what Python keeps bytes as that are no text
    except UnicodeError as strange:
        raise CommandError(
            "The password is not in UTF-8, in which browsers send it: nobody could sign in with it."
        ) from strange
    return password
