"""Productions that are published at places of the account's own: tried, sealed, once,
and in nobody's way.
"""

import errno
import hashlib
import threading

import pytest
from support import places, plain_sql
from support.cast import body
from support.connected import (
    CONTENT,
    US,
    add,
    claim_until,
    move,
    publication,
    publish,
    status_of,
    wait_until,
)
from support.receivers import LOOPBACK, answering, deaf, read_request, receiving
from support.stage import DRIVER, complete_steps, make

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.base import outage
from svc.base.errors import (
    Conflict,
    FileStoreUnavailable,
    InvalidRequest,
    NotFound,
    NotYours,
)
from svc.domain import key_retirement
from svc.domain.access import rotation
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import endings
from svc.domain.people import users
from svc.domain.productions import productions, publications
from svc.domain.publishing import actions, connections
from svc.platforms.connected import Tools
from svc.store import claims
from svc.store.database import db
from svc.work import brief_builder
from svc.work.outages import Outages
from svc.work.publishing import posting
from svc.work.publishing.publisher import Publisher

pytest_plugins = ("tests.support.connected",)


def test_a_production_is_published_at_its_watch_pages_and_at_two_places(
    connected, partner, publisher, released, clock
):
    with places.bucket() as bucket, places.relay() as relay:
        add(connected, partner, bucket, "Archive")
        add(connected, partner, relay.counterpart)
        production = released()
        assert (
            publish(publisher, clock, production, "Watch", "WatchVertical", "Archive", "Hook")
            == ["Published"] * 4
        )
        folder = publication(production, "Archive")["platform_post_id"]
        assert bucket.fetch(f"{folder}/video.mp4") == CONTENT
    wait_until(lambda: status_of(production) == "Published")
    (message,) = relay.posts.values()
    assert message["idempotencyKey"] == publication(production, "Hook")["idempotency_key"]
    assert (
        message["description"]
        == "The sea rises.\n\n0:00 Start\n0:12 Middle\n0:30 End\n\nMade by software.\n\n#tides #sea"
    )
    shown = body(partner.get(f"/v1/productions/{production}"))["platforms"]
    assert {each["platform"]: each["platformPostId"] for each in shown}["Hook"] == "relay-1"
    assert publication(production, "Hook")["post_url"] == "https://relay.example.com/1"


def test_the_account_of_the_api_lists_connections_as_platforms(connected, partner):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "n8n")
    listed = body(partner.get(f"/v1/accounts/{partner.account}"))["connectedPlatforms"]
    assert {"platform": "n8n", "status": "Connected"} in listed
    assert {each["platform"] for each in listed} == {"Watch", "WatchVertical", "n8n"}


def test_a_place_that_is_out_does_not_hold_up_the_others(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Broken")
        add(connected, partner, relay.counterpart, "Sound")
    answer = (
        b"HTTP/1.1 503 Later\r\nRetry-After: 7200\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
    with receiving(answering(answer)) as out, places.relay() as relay:
        for name, url in (("Broken", out.url()), ("Sound", relay.counterpart.values["url"])):
            move(name, url)
        production = released()
        assert (
            publish(publisher, clock, production, "Watch", "WatchVertical", "Sound")
            == ["Published"] * 3
        )
        claim_until(publisher, lambda: publication(production, "Broken")["attempts"] == 1)
        row = publication(production, "Broken")
    assert (row["status"], status_of(production)) == ("Publishing", "Distributing")
    assert "503" in row["error"] and row["next_attempt_at"] == clock() + 7_200_000
    wait_until(
        lambda: (
            "503"
            in (
                plain_sql.one("SELECT problem FROM connections WHERE name = 'Broken'")["problem"]
                or ""
            )
        )
    )


def test_places_that_never_answer_leave_room_for_other_partners(
    connected, person, partner, publisher, released, clock
):
    with places.relay() as relay:
        for name in ("One", "Two", "Three", "Four"):
            add(connected, partner, relay.counterpart, name)
    with receiving(deaf) as hanging:
        for name in ("One", "Two", "Three", "Four"):
            move(name, hanging.url())
        production = released()
        assert publish(publisher, clock, production, "Watch", "WatchVertical") == ["Published"] * 2
        claim_until(publisher, lambda: hanging.connections == 2)
        assert publications.claim_next(DRIVER, clock(), at_places=True) is None
        with places.relay() as relay:
            other = person()
            add(connected, other, relay.counterpart)
            sql = (
                "SELECT connection_id FROM connected_platforms WHERE account_id = ? "
                "AND platform = 'Hook'"
            )
            connection = plain_sql.one(sql, (other.account,))["connection_id"]
            theirs = body(other.trigger())["productionId"]
            with db.transaction():
                plain_sql.execute(
                    "UPDATE publications SET next_attempt_at = ? WHERE production_id = ?",
                    (clock(), theirs),
                )
                plain_sql.execute(
                    "UPDATE productions SET status = 'Distributing' WHERE id = ?", (theirs,)
                )
            claim = publications.claim_next(DRIVER, clock(), at_places=True)
            assert (claim.production_id, claim.connection_id) == (theirs, connection)


def test_a_definite_refusal_fails_at_once_and_names_place_reason_and_remedy(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Relay")
    answer = b"HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    sandbox_platforms_off(partner)
    with receiving(answering(answer)) as out:
        move("Relay", out.url())
        production = released()
        assert publish(publisher, clock, production, "Relay") == ["Failed"]
    wait_until(lambda: status_of(production) == "Failed")
    failed = body(partner.get(f"/v1/productions/{production}"))
    assert failed["errorCode"] == "DISTRIBUTION_FAILED"
    assert (
        "Relay: The place answered 401. It does not accept the credentials; renew the connection"
        in failed["errorMessage"]
    )


def test_a_place_that_repeats_the_secret_in_its_words_does_not_show_it(
    connected, partner, publisher, released, clock
):
    words = b'{"error": "No such token: ' + places.SECRET.encode() + b'"}'
    answer = b"HTTP/1.1 401 No\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
        len(words),
        words,
    )
    with receiving(answering(answer)) as out:
        with pytest.raises(Conflict, match="No such token: …”") as refused:
            add(
                connected,
                partner,
                places.Counterpart(
                    "Hook", {"url": out.url(), "signing_secret": places.SECRET}, None
                ),
            )
        assert places.SECRET not in refused.value.message
        with places.relay() as relay:
            add(connected, partner, relay.counterpart, "Relay")
        move("Relay", out.url())
        production = released()
        assert publish(publisher, clock, production, "Relay") == ["Failed"]
    assert "No such token: …”" in publication(production, "Relay")["error"]


def sandbox_platforms_off(partner) -> None:
    with db.transaction():
        plain_sql.execute(
            "DELETE FROM connected_platforms WHERE account_id = ? AND connection_id IS NULL",
            (partner.account,),
        )


def test_one_publication_is_retried_alone_after_the_production_was_published(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Relay")
        url = relay.counterpart.values["url"]
        answer = b"HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        with receiving(answering(answer)) as out:
            move("Relay", out.url())
            production = released()
            publish(publisher, clock, production, "Watch", "WatchVertical", "Relay")
        wait_until(lambda: status_of(production) == "Published")
        key = publication(production, "Relay")["idempotency_key"]
        move("Relay", url)
        actions.retry(US, production, "Relay", clock())
        assert publish(publisher, clock, production, "Relay") == ["Published"]
    assert list(relay.posts) == [key]
    assert status_of(production) == "Published"
    with pytest.raises(Conflict, match="Only a publication that failed"):
        actions.retry(US, production, "Relay", clock())


def test_one_publication_is_skipped_alone_and_the_production_ends(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Relay")
    answer = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with receiving(answering(answer)) as out:
        move("Relay", out.url())
        production = released()
        publish(publisher, clock, production, "Watch", "WatchVertical")
        claim_until(publisher, lambda: publication(production, "Relay")["attempts"] == 1)
        actions.skip(US, production, "Relay", clock())
    assert (publication(production, "Relay")["status"], status_of(production)) == (
        "Withdrawn",
        "Published",
    )
    with pytest.raises(Conflict, match="Only a publication that is Pending"):
        actions.skip(US, production, "Relay", clock())


def test_strangers_and_members_neither_retry_nor_skip_nor_see(
    connected, partner, stranger, somebody, released, clock
):
    with places.relay() as relay:
        connection = add(connected, partner, relay.counterpart, "Relay")
    production = released()
    foreign = users.make_viewer(users.get(somebody("owner", stranger.seeded["partnerId"]).user_id))
    reader = users.make_viewer(users.get(somebody("member", partner.seeded["partnerId"]).user_id))
    for act in (actions.retry, actions.skip):
        with pytest.raises(NotFound):
            act(foreign, production, "Relay", clock())
        with pytest.raises(NotYours):
            act(reader, production, "Relay", clock())
    with pytest.raises(NotFound):
        connections.list_connections(foreign, partner.account)
    for change in (
        lambda who: connected.try_connection(who, connection),
        lambda who: connections.remove(who, connection, clock()),
    ):
        with pytest.raises(NotFound):
            change(foreign)
        with pytest.raises(NotYours):
            change(reader)
    assert [row["name"] for row in connections.list_connections(reader, partner.account)] == [
        "Relay"
    ]


def test_secrets_are_stored_encrypted_and_never_in_the_audit_log(
    connected, partner, service, clock
):
    with places.relay() as relay:
        connection = add(connected, partner, relay.counterpart, "Relay")
    row = dict(plain_sql.one("SELECT * FROM connections WHERE id = ?", (connection,)))
    assert places.SECRET not in repr(row) and places.SECRET[6:].encode() not in row["sealed"]
    assert places.SECRET not in repr(
        [dict(entry) for entry in plain_sql.rows("SELECT * FROM audit")]
    )
    assert (
        connections.unseal_connection(connection, service.ring).values["signing_secret"]
        == places.SECRET
    )
    assert places.SECRET not in repr(connections.unseal_connection(connection, service.ring))
    entry = next(iter(audit_of("connection.add")))
    assert entry["after"] and "url" in entry["after"]


def audit_of(action: str) -> list[dict]:
    return [dict(row) for row in plain_sql.rows("SELECT * FROM audit WHERE action = ?", (action,))]


def test_the_secret_of_one_connection_cannot_be_moved_to_another(connected, partner, service):
    with places.relay() as relay:
        first = add(connected, partner, relay.counterpart, "One")
        second = add(connected, partner, relay.counterpart, "Two")
    with db.transaction():
        sealed = plain_sql.one("SELECT sealed FROM connections WHERE id = ?", (first,))["sealed"]
        plain_sql.execute("UPDATE connections SET sealed = ? WHERE id = ?", (sealed, second))
    with pytest.raises(ValueError):
        connections.unseal_connection(second, service.ring)
    with pytest.raises(Conflict, match="cannot be read any more; renew"):
        connected.try_connection(US, second)


def test_a_retired_master_key_leaves_connections_usable(connected, partner, service, clock):
    with places.relay() as relay:
        connection = add(connected, partner, relay.counterpart)
        added = rotation.begin(service.settings.secret, clock())
        assert rotation.sign_with_waiting_key(clock(), added)
        key_retirement.retire(service.settings.secret, 1, Actor(None, "the tests"), clock())
        assert (
            connections.unseal_connection(connection, service.ring).values["signing_secret"]
            == places.SECRET
        )
        connected.try_connection(US, connection)


def test_a_removed_connection_keeps_no_secret_and_what_waits_fails(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay:
        connection = add(connected, partner, relay.counterpart, "Relay")
    production = released()
    connections.remove(US, connection, clock())
    row = plain_sql.one(
        "SELECT sealed, settings, removed_at FROM connections WHERE id = ?", (connection,)
    )
    assert (row["sealed"], row["settings"], row["removed_at"]) == (None, "{}", clock())
    assert publish(publisher, clock, production, "Watch", "WatchVertical", "Relay") == [
        "Published",
        "Published",
        "Failed",
    ]
    assert "The connection was removed" in publication(production, "Relay")["error"]
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Relay")  # its name is free again


def test_renewing_keeps_a_secret_that_is_not_given(connected, partner, service):
    with places.relay() as relay, places.relay() as other:
        connection = add(connected, partner, relay.counterpart)
        connected.renew(
            US,
            connection,
            {"url": other.counterpart.values["url"], "signing_secret": "", "shape": "portrait"},
        )
        assert other.calls == ["test"]
    renewed = connections.unseal_connection(connection, service.ring)
    assert (renewed.values["signing_secret"], renewed.shape) == (places.SECRET, "portrait")
    assert renewed.values["url"] == other.counterpart.values["url"]


def test_a_connection_that_does_not_work_is_not_stored(connected, partner):
    with places.relay() as relay:
        with pytest.raises(Conflict, match="The try did not work. The place answered 401"):
            add(
                connected,
                partner,
                relay.counterpart,
                signing_secret=places.SECRET.replace("A", "B"),
            )
    assert connections.list_connections(US, partner.account) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": "ftp://example.com"}, "url"),
        ({"url": "https://user:pass@example.com"}, "url"),
        ({"url": ""}, "url"),
        ({"signing_secret": "short"}, "signing_secret"),
        ({"name": "Watch"}, "name"),
        ({"name": "a b"}, "name"),
        ({"shape": "round"}, "shape"),
        ({"text_template": "{nothing}"}, "text_template"),
        ({"name": "watchvertical"}, "name"),
    ],
)
def test_a_wrong_value_is_named_with_its_field(connected, partner, changes, field):
    with places.relay() as relay, pytest.raises(InvalidRequest) as refused:
        add(connected, partner, relay.counterpart, **changes)
    assert list(refused.value.fields) == [field]


def test_an_unknown_kind_is_answered_with_the_known_ones(connected, partner):
    with pytest.raises(InvalidRequest, match="the kinds are Hook, S3, WebDAV, SFTP, Mastodon"):
        connected.add(US, partner.account, "Fax", {})


def test_a_secret_is_made_and_shown_once_if_none_is_given(connected, partner):
    with receiving(answering()) as receiver:
        _, made = connected.add(US, partner.account, "Hook", {"url": receiver.url()})
    assert made["signing_secret"].startswith("whsec_")


def test_a_worker_that_lost_its_claim_stores_nothing(connected, partner, released, clock, service):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        clock.tick(publications.LEASE / 1000 + 1)
        second = publications.claim_next(claims.Driver("other"), clock(), at_places=True)
        assert second.production_id == production
        with pytest.raises(claims.LostClaim):
            posting.StoredUploadState(claim, service.ring, clock, threading.Event())


def test_a_crash_before_the_outcome_was_recorded_publishes_nothing_twice(
    connected, partner, released, clock, service, publisher
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)
        posting.publish(claim, service.storage, service.ring, tools, threading.Event())
        with db.transaction():  # the process is gone, and another one takes over
            assert publications.release_earlier_boots(claims.Driver("next")) == 1
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    assert relay.calls.count("publish") == 2 and len(relay.posts) == 1


def test_a_database_that_was_restored_from_before_a_post_publishes_it_under_the_same_key(
    connected, partner, released, clock, publisher
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        before = dict(plain_sql.one("SELECT * FROM publications WHERE platform = 'Hook'"))
        assert before["idempotency_key"] is None
        assert publish(publisher, clock, production, "Hook") == ["Published"]
        columns = ", ".join(f"{name} = ?" for name in before)
        with db.transaction():  # as a backup has it that was made before
            plain_sql.execute(
                f"UPDATE publications SET {columns} WHERE platform = 'Hook'", tuple(before.values())
            )
            plain_sql.execute("UPDATE productions SET status = 'Distributing'")
        assert publish(publisher, clock, production, "Hook") == ["Published"]
    assert relay.calls.count("publish") == 2 and len(relay.posts) == 1


def test_videos_are_made_in_the_shape_that_a_place_takes(connected, partner):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Tall", shape="portrait")
        add(connected, partner, relay.counterpart, "Wide")
    production = body(partner.trigger())["productionId"]
    renditions = {each.name: each for each in brief_builder.build_brief(production).renditions}
    assert set(renditions["portrait"].platforms) == {"Tall", "WatchVertical"}
    assert set(renditions["landscape"].platforms) == {"Watch", "Wide"}
    assert (
        renditions["landscape"].chapter_list and renditions["landscape"].longest_description == 5000
    )


def test_square_and_4_5_videos_are_made_for_places_that_take_them(connected, partner):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart, "Square", shape="square")
        add(connected, partner, relay.counterpart, "Feed", shape="feed")
    made = brief_builder.build_brief(body(partner.trigger())["productionId"]).renditions
    sizes = {
        each.name: (each.width, each.height, each.platforms)
        for each in made
        if each.name in ("square", "feed")
    }
    assert sizes == {"square": (1080, 1080, ("Square",)), "feed": (1080, 1350, ("Feed",))}


def test_a_connection_that_another_machine_takes_meanwhile_is_not_used_twice(
    connected, partner, released, clock, monkeypatch
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    released()
    second = released()
    write, taken = db.transaction, []

    def late(*given, **more):
        if not taken and threading.current_thread() is threading.main_thread():
            taken.append(second)
            with write():
                sql = (
                    "UPDATE publications SET claim_token = 't', claim_boot = 'there:1', "
                    "claim_until = ? WHERE production_id = ? AND platform = 'Hook'"
                )
                plain_sql.execute(sql, (clock() + 60_000, second))
        return write(*given, **more)

    monkeypatch.setattr(db, "transaction", late)
    assert publications.claim_next(DRIVER, clock(), at_places=True) is None and taken


def test_an_outage_is_tried_again_with_growing_pauses_and_then_fails(
    connected, partner, released, clock
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    production, pauses = released(), []
    while (claim := publications.claim_next(DRIVER, clock(), at_places=True)) is not None:
        publications.record_failed(claim, "out", True, clock())
        due = publication(production, "Hook")["next_attempt_at"]
        if due is not None:
            pauses.append((due - clock()) // 1000)
            clock.tick(pauses[-1])
    assert pauses == [10, 60, 300, 900, 3600]
    assert publication(production, "Hook")["status"] == "Failed"


@pytest.mark.parametrize("kind", ["Hook", pytest.param("SFTP", marks=pytest.mark.judges)])
def test_a_process_without_descriptors_uses_no_attempt_and_publishes_later(
    connected, partner, released, clock, service, tmp_path, kind
):
    missing = []

    def look_up(host: str, seconds: float) -> list[str]:
        if missing:
            raise OSError(errno.EMFILE, "Too many open files")
        return ["127.0.0.1"]

    outages, tools = (
        Outages(clock, threading.Event()),
        Tools(Transfers(LOOPBACK, lookup=look_up), LOOPBACK, look_up, clock),
    )
    publisher = Publisher(DRIVER, service.storage, clock, outages, service.ring, tools)
    there = places.relay() if kind == "Hook" else places.sftp(tmp_path / "sftp")
    with there as place:
        counterpart = place.counterpart if kind == "Hook" else place
        add(connected, partner, counterpart, kind)
        at_a_name(kind)
        production = released()
        missing.append(1)
        for _ in range(8):  # more than the attempts that a place has
            publisher.publish_one_at_place()
            row = publication(production, kind)
            assert (row["status"], row["attempts"], row["error"]) == ("Publishing", 0, None)
            assert row["next_attempt_at"] == clock() + outage.TOO_MANY_FILES.seconds * 1000
            clock.tick(outage.TOO_MANY_FILES.seconds)
        missing.clear()
        publisher.publish_one_at_place()
        assert publication(production, kind)["status"] == "Published"
    publisher.stop()


def at_a_name(kind: str) -> None:
    """Let a connection lead to a name, which is looked up."""
    with db.transaction():
        plain_sql.execute(
            "UPDATE connections SET settings = replace(settings, '127.0.0.1', 'localhost') "
            "WHERE name = ?",
            (kind,),
        )


def test_a_bucket_that_is_away_uses_no_attempt_of_a_watch_page(
    partner, released, clock, service, publisher, monkeypatch
):
    production = released()
    with monkeypatch.context() as meanwhile:

        def away(_):
            raise FileStoreUnavailable("it does not answer")

        meanwhile.setattr(service.storage, "fetch_file", away)
        for _ in range(6):
            publisher.publish_one()
            publisher.publish_one()
            clock.tick(outage.FILE_STORE_UNAVAILABLE.seconds)
    rows = [publication(production, name) for name in ("Watch", "WatchVertical")]
    assert [(row["status"], row["attempts"]) for row in rows] == [("Publishing", 0)] * 2
    assert publish(publisher, clock, production, "Watch", "WatchVertical") == ["Published"] * 2


def test_the_key_is_stored_before_anything_is_sent_and_stays(
    connected, partner, released, clock, service, publisher
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    production = released()
    keys = []

    def look(connection, stopping):
        read_request(connection)
        keys.append(publication(production, "Hook")["idempotency_key"])
        connection.sendall(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with receiving(look) as out:
        move("Hook", out.url())
        for attempt in (1, 2):
            claim_until(
                publisher,
                lambda number=attempt: publication(production, "Hook")["attempts"] == number,
            )
            clock.tick(10)
    assert len(keys) == 2 and keys[0] == keys[1] and len(keys[0]) == 32


def test_a_file_larger_than_a_place_takes_is_refused_before_anything_is_sent(
    connected, partner, released, clock, publisher
):
    with places.bucket() as bucket:
        add(connected, partner, bucket)
        production = released()
        with db.transaction():
            plain_sql.execute(
                "UPDATE deliverables SET size_bytes = 5000000001 WHERE platform = 'S3'"
            )
        assert publish(publisher, clock, production, "S3") == ["Failed"]
    assert "S3 takes files of at most 5000000000 bytes" in publication(production, "S3")["error"]


def test_a_folder_gets_every_file_of_the_production(connected, partner, service, clock, publisher):
    kinds = {
        "captions.srt": ("ClosedCaptions", "srt"),
        "captions.vtt": ("ClosedCaptions", "vtt"),
        "described.mp4": ("AudioDescription", "mp4"),
        "descriptions.vtt": ("AudioDescription", "vtt"),
        "transcript.txt": ("Transcript", "txt"),
        "transcript.docx": ("Transcript", "docx"),
        "certificate.pdf": ("ComplianceCertificate", "pdf"),
    }
    with places.bucket() as bucket:
        add(connected, partner, bucket)
        production = body(partner.trigger())["productionId"]
        folder = service.settings.data_dir / "media" / production
        folder.mkdir(parents=True)
        (folder / "poster-landscape.jpg").write_bytes(b"picture")
        made = []
        for name, (kind, form) in {"video.mp4": ("Video", "mp4"), **kinds}.items():
            (folder / name).write_bytes(name.encode())
            facts = {"size_bytes": len(name), "sha256": hashlib.sha256(name.encode()).hexdigest()}
            made.append(
                make(
                    "S3" if kind == "Video" else None,
                    kind,
                    form,
                    file=f"{production}/{name}",
                    **facts,
                )
            )
        complete_steps(clock, made=made)
        assert publish(publisher, clock, production, "S3") == ["Published"]
        there = publication(production, "S3")["platform_post_id"]
        for name in ("video.mp4", *kinds):
            assert bucket.fetch(f"{there}/{name}") == name.encode(), name
        assert bucket.fetch(f"{there}/poster.jpg") == b"picture"
        assert b'"sha256"' in bucket.fetch(f"{there}/publication.json")


def test_only_the_named_placeholders_are_replaced(connected, partner, publisher, released, clock):
    template = "{title}|{summary}|{chapters}|{transcript}|{subject}|{disclosure}|{hashtags}"
    with places.relay() as relay:
        add(
            connected,
            partner,
            relay.counterpart,
            text_template=template,
            title_template="New: {title}",
        )
        production = released()
        publish(publisher, clock, production, "Hook")
    (message,) = relay.posts.values()
    title = message["title"].removeprefix("New: ")
    chapters = "0:00 Start\n0:12 Middle\n0:30 End"
    assert (
        message["description"]
        == f"{title}|The sea rises.|{chapters}||How tides work|Made by software.|#tides #sea"
    )


def test_a_video_larger_than_mastodon_takes_is_refused_whatever_its_other_files_have(
    connected, partner, released, clock, publisher
):
    answer = b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{"id": "7"}'
    with receiving(answering(answer)) as server:
        connected.add(US, partner.account, "Mastodon", {"url": server.url(""), "token": "token"})
        production = released()
        with db.transaction():
            plain_sql.execute(
                "UPDATE deliverables SET size_bytes = 103809025 WHERE platform = 'Mastodon'"
            )
        assert publish(publisher, clock, production, "Mastodon") == ["Failed"]
        assert server.connections == 1  # the try
    assert (
        "Mastodon takes files of at most 103809024 bytes"
        in publication(production, "Mastodon")["error"]
    )


def test_a_retry_by_hand_begins_anew_with_the_same_key_and_session(
    connected, partner, released, clock, service
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    production = released()
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    first = posting.StoredUploadState(claim, service.ring, clock, threading.Event())
    first.save({"upload": "7"})
    publications.record_failed(claim, "out", True, clock())
    clock.tick(10)
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    second = posting.StoredUploadState(claim, service.ring, clock, threading.Event())
    publications.record_failed(claim, "refused", False, clock())
    wait_until(lambda: publication(production, "Hook")["status"] == "Failed")
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Distributing' WHERE id = ?", (production,)
        )
    actions.retry(US, production, "Hook", clock())
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    third = posting.StoredUploadState(claim, service.ring, clock, threading.Event())
    assert [first.begun_anew, second.begun_anew, third.begun_anew] == [True, False, True]
    assert first.key == second.key == third.key and third.session == {"upload": "7"}


def test_a_process_that_is_told_to_end_gives_an_upload_back(
    connected, partner, released, clock, service
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    production, stopping = released(), threading.Event()
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    upload_state = posting.StoredUploadState(claim, service.ring, clock, stopping)
    upload_state.count_sent(1)
    stopping.set()
    with pytest.raises(posting.Stopped):
        upload_state.count_sent(1)
    publications.release_claim(claim)
    assert publications.claim_next(DRIVER, clock(), at_places=True).production_id == production


def test_a_publication_is_withdrawn_from_its_place_alone(
    connected, partner, stranger, somebody, publisher, released, clock
):
    foreign = users.make_viewer(users.get(somebody("owner", stranger.seeded["partnerId"]).user_id))
    with places.bucket() as bucket:
        add(connected, partner, bucket)
        production = released()
        publish(publisher, clock, production, "S3", "Watch", "WatchVertical")
        there = publication(production, "S3")["platform_post_id"]
        with pytest.raises(NotFound):
            connected.withdraw(foreign, production, "S3")
        with pytest.raises(Conflict, match="Published at a place of the account's own"):
            connected.withdraw(US, production, "Watch")
        assert bucket.fetch(f"{there}/video.mp4") == CONTENT
        connected.withdraw(US, production, "S3")
        assert bucket.fetch(f"{there}/video.mp4") is None
        states = {name: publication(production, name)["status"] for name in ("S3", "Watch")}
        assert states == {"S3": "Withdrawn", "Watch": "Published"}
        actions.retry(US, production, "S3", clock())  # and it can be published there again
        assert publish(publisher, clock, production, "S3") == ["Published"]
        assert bucket.fetch(f"{there}/video.mp4") == CONTENT


def test_what_a_place_took_while_its_production_was_cancelled_is_withdrawn_there(
    connected, partner, publisher, released, clock
):
    def cancel() -> None:
        productions.request_cancel(production, clock())
        assert endings.finish_cancel(production, clock())

    with places.relay(meanwhile=cancel) as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        claim_until(publisher, lambda: "withdraw" in relay.calls)
    assert relay.calls == ["test", "publish", "withdraw"]
    assert publication(production, "Hook")["status"] == "Withdrawn"
    assert status_of(production) == "Cancelled"


def test_what_could_not_be_withdrawn_stays_published(
    connected, partner, publisher, released, clock
):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        publish(publisher, clock, production, "Hook")
    with pytest.raises(Conflict, match="It could not be withdrawn. The place could not be reached"):
        connected.withdraw(US, production, "Hook")
    assert publication(production, "Hook")["status"] == "Published"
