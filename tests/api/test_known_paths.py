"""Where a path of the API leads is looked up once; each request has its own values of it."""

from werkzeug.routing import MapAdapter

from svc import application

MATCH = MapAdapter.match


def matched(monkeypatch) -> list[str]:
    """The paths that are looked up."""
    paths: list[str] = []

    def match(adapter, *sought, **how):
        paths.append(adapter.path_info)
        return MATCH(adapter, *sought, **how)

    monkeypatch.setattr(MapAdapter, "match", match)
    return paths


def test_a_path_that_was_asked_is_not_looked_up_again(partner, monkeypatch):
    paths = matched(monkeypatch)
    path = f"/v1/accounts/{partner.account}/productions"
    assert [partner.get(path).status_code for _ in range(3)] == [200] * 3
    assert paths == [path]
    assert partner.trigger().status_code == 202
    assert partner.delete(path).status_code == 405
    assert paths == [path] * 3


def test_the_values_of_a_request_are_its_own(app, partner):
    path = f"/v1/accounts/{partner.account}/productions"
    for _ in range(2):
        with app.test_request_context(path) as context:
            assert context.request.view_args == {"account_id": partner.account}
            context.request.view_args.clear()


def test_what_leads_nowhere_and_what_may_be_secret_is_not_kept(app, partner, monkeypatch):
    paths = matched(monkeypatch)
    sought = ["/v1/nothing", "/portal/secret", "/v1/productions/" + "x" * application._LONGEST_PATH]
    for path in [*sought, *sought]:
        partner.get(path)
    assert paths == [*sought, *sought]
    assert not app._known_paths


def test_so_many_are_kept(app, partner, monkeypatch):
    monkeypatch.setattr(application, "_PATHS", 2)
    for path in ("languages", "countries", "avatars", "languages"):
        partner.get(f"/v1/{path}")
        assert len(app._known_paths) <= 2
    assert app._known_paths
