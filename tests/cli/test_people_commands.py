"""The operator's commands for second factors, keys with successors,
and people of a partner that is not Active.
"""

import pyotp
import pytest
from click.testing import CliRunner
from support import plain_sql
from support.cast import body

from svc.base.clock import now
from svc.base.errors import CommandError, Conflict, PartnerNotActive, Unauthorized
from svc.cli import commands
from svc.domain.access import keys
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.domain.people import second_factor, users
from svc.store.database import db


def test_a_lost_second_factor_is_reset(app, run, owner, clock):
    viewer, ring = users.make_viewer(users.get(owner.user_id)), app.extensions["svc"].ring
    second_factor.begin_setup(viewer, ring, clock())
    secret, _ = second_factor.find_pending_setup(viewer, ring, clock())
    second_factor.confirm_setup(
        viewer, pyotp.TOTP(secret).at(clock() // 1000), ring, clock(), "none"
    )
    assert "with only the password" in run("user", "totp-reset", viewer.email)
    assert not second_factor.is_on(viewer.id)
    assert audit.list_page(Page(1))["data"][0]["action"] == "user.totp-reset"
    with pytest.raises(Conflict, match="no second factor"):
        run("user", "totp-reset", viewer.email)


def test_a_key_is_revoked_with_its_successors_if_asked(run, partner, clock):
    # the command goes by the real time, from which the replaced key's last 24 hours count
    clock.at = now()
    successor = keys.rotate(keys.authenticate(partner.seeded["liveKey"], clock()), clock())[
        "apiKey"
    ]
    key_id = plain_sql.row("SELECT id FROM api_keys WHERE rotated_to IS NOT NULL")[0]
    told = run("key", "revoke", key_id, "--yes")
    assert f"{successor[:15]}…" in told and "--with-successors" in told
    assert keys.authenticate(successor, clock()).environment == "live"
    done = run("key", "revoke", key_id, "--with-successors", "--yes", "--json")
    assert (done["ended"], done["stillInUse"]) == ([successor[:15]], [])
    with pytest.raises(Unauthorized):
        keys.authenticate(successor, clock())


def test_a_partner_is_added_by_four_commands_and_suspended_by_one(run, partner):
    theirs = run("partner", "add", "Acme", "--tier", "Standard").split()[-1]
    customer = run("customer", "add", "Acme Films", "--partner", theirs).split()[-1]
    account = run("account", "add", "Acme", "--customer", customer).split()[-1]
    key = run("key", "add", "Acme", "--partner", theirs).split()[0]
    for status in ("Suspended", "Active"):
        run("partner", "set", theirs, "--status", status)
        assert plain_sql.row("SELECT status FROM partners WHERE id = ?", (theirs,))[0] == status
    live = body(partner.get("/v1/partners/verify", key=key))["apiKey"]
    [shown] = body(partner.get("/v1/partner/accounts", key=live))["data"]
    assert shown["accountId"] == account


def test_nobody_is_invited_to_a_suspended_partner_and_its_people_still_get_a_new_password(
    run, partner, owner
):
    mine, email = partner.seeded["partnerId"], users.get(owner.user_id)["email"]
    run("partner", "change", mine, "--status", "Suspended")
    for words in (
        ("user", "invite", "--role", "owner", "--partner", mine),
        (
            "user",
            "add",
            "new@example.com",
            "--name",
            "New",
            "--role",
            "owner",
            "--partner",
            mine,
            "--password-stdin",
        ),
        ("key", "add", "theirs", "--partner", mine),
        ("key", "test", "theirs", "--for", email),
    ):
        with pytest.raises(PartnerNotActive):
            run(*words, typed="correct horse\n")
    assert "within 24 hours" in run("user", "password", email, "--link")


def test_a_rotation_of_the_master_keys_is_in_the_audit_log(run, operator):
    run("key-ring", "rotate")
    assert (
        audit.list_page(Page(1), action="key-ring.rotate")["data"][0]["subject"] == "master key 2"
    )


def test_a_broken_audit_log_is_said_with_exit_code_1_and_stays_so(run, operator):
    run("key-ring", "rotate")
    run("key-ring", "rotate")
    assert "whole: " in ended(0)
    with db.transaction():
        plain_sql.execute(
            "UPDATE audit SET hash = NULL, seal = NULL, salt = NULL, content_hash = NULL"
        )
    assert "is not in the chain" in ended(1)
    run("key-ring", "rotate")
    assert ended(1)
    assert audit.list_page(Page(2))["data"][1]["action"] == "audit.broken"


def ended(code: int) -> str:
    """Return what a verification says; it must end with this exit code."""
    result = CliRunner().invoke(commands.main, ("audit", "verify"), standalone_mode=False)
    assert result.exit_code == code
    return result.stdout


def test_an_api_key_is_no_name(run, partner):
    mistaken = partner.seeded["liveKey"]
    with pytest.raises(CommandError, match="API key"):
        run("key", "add", mistaken, "--partner", partner.seeded["partnerId"])
