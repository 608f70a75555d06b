"""A partner's people see their accounts, avatars and audit log, with ids to copy;
and nobody else's.
"""

import pytest
from support import plain_sql
from support.cast import text

from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.store.database import db

PAGES = ("accounts", "avatars", "audit")


def test_accounts_and_avatars_are_listed_with_their_ids(owner, member, partner, stranger):
    avatar = plain_sql.row("SELECT id FROM avatars WHERE id = ?", (partner.seeded["avatarId"],))[0]
    for person in (owner, member):
        accounts = text(person.get("/console/own/accounts"))
        for name in ("liveAccountId", "sandboxAccountId"):
            assert (
                f'data-copy="{partner.seeded[name]}"' in accounts
                and stranger.seeded[name] not in accounts
            )
        avatars = text(person.get("/console/own/avatars"))
        assert f'data-copy="{avatar}"' in avatars and stranger.seeded["avatarId"] not in avatars
        assert f'src="/console/own/avatars/{avatar}/picture"' in avatars


def test_the_face_of_an_avatar_is_shown_to_its_partner_alone(owner, partner, stranger):
    with owner.get(f"/console/own/avatars/{partner.seeded['avatarId']}/picture") as answer:
        assert answer.status_code == 200 and answer.mimetype.startswith("image/")
    assert (
        owner.get(f"/console/own/avatars/{stranger.seeded['avatarId']}/picture").status_code == 404
    )


def test_the_audit_log_has_the_partners_entries_and_names_no_operator(
    owner, operator, partner, stranger, clock
):
    with db.transaction():
        for actor, person, subject in (
            (Actor(operator.user_id, "ada@operators.example"), partner, "Ours"),
            (Actor(owner.user_id, "owner@us.example"), partner, "Our own"),
            (Actor(None, "root"), stranger, "Theirs"),
        ):
            with audit.recording(
                actor,
                "account.change",
                subject,
                clock(),
                partner_id=person.seeded["partnerId"],
                after={"name": subject},
            ):
                pass
    page = text(owner.get("/console/own/audit"))
    assert "Ours" in page and "Our own" in page and "Theirs" not in page
    assert "owner@us.example" in page and "ada@operators.example" not in page and "Operator" in page
    assert "Nothing matches" in text(owner.get("/console/own/audit?kind=webhook"))


@pytest.mark.parametrize("page", PAGES)
def test_operators_are_sent_to_the_pages_of_all_partners(operator, page):
    assert operator.get(f"/console/own/{page}").headers["Location"].endswith(f"/console/{page}")


def test_the_sidebar_has_the_pages_of_the_role(owner, operator):
    own, all_of_them = text(owner.get("/console/")), text(operator.get("/console/"))
    for page in PAGES:
        assert f'href="/console/own/{page}"' in own and f'href="/console/{page}"' not in own
        assert (
            f'href="/console/own/{page}"' not in all_of_them
            and f'href="/console/{page}"' in all_of_them
        )
