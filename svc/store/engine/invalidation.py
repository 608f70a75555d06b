"""The statements that invalidate the read caches, by kind, as temporary triggers
of the connection.
"""

from svc.store.engine.shared_memory import KINDS

_ESTATE = (
    "accounts",
    "customers",
    "project_types",
    "avatars",
    "connected_platforms",
    "sensitivity_rules",
    "lexicons",
)
# Names of svc.store.meta appear here because a trigger consists of SQL only.
CHANGES = {
    "access": (
        "UPDATE OF name, environment, creator, scopes, permitted_account_ids, expires_at, "
        "revoked_at, allowed_ranges "
        "ON api_keys",
        "DELETE ON api_keys",
        "UPDATE ON partners",
        "DELETE ON partners",
        "INSERT ON meta WHEN new.name LIKE 'maintenance%'",
        "UPDATE ON meta WHEN new.name LIKE 'maintenance%'",
        "DELETE ON meta WHEN old.name LIKE 'maintenance%'",
    ),
    "estate": (
        *(f"{change} ON {table}" for table in _ESTATE for change in ("INSERT", "UPDATE", "DELETE")),
        "UPDATE OF tier, status ON partners",
    ),
    "productions": (
        "UPDATE OF partner_id, account_id, status, api_triggered, updated_at ON productions",
        "DELETE ON productions",
        "UPDATE OF environment, creator ON accounts",
    ),
    "hearing": (
        "INSERT ON subscriptions",
        "UPDATE OF status, troubled, deleted_at, paused_at, event_types ON subscriptions "
        "WHEN (old.status, old.troubled, old.deleted_at, old.paused_at, old.event_types) IS "
        "DISTINCT FROM "
        "(new.status, new.troubled, new.deleted_at, new.paused_at, new.event_types)",
        "DELETE ON subscriptions",
        "UPDATE OF environment, creator ON accounts",
        "UPDATE OF status ON partners",
    ),
    "paces": (
        "INSERT ON step_paces",
        "UPDATE ON step_paces",
        "INSERT ON meta WHEN new.name = 'render_workers'",
        "UPDATE ON meta WHEN new.name = 'render_workers'",
    ),
}
TRIGGERS = "".join(
    (
        f"CREATE TEMP TRIGGER {kind}_{number} AFTER {change} BEGIN "
        f"SELECT changes_something({KINDS.index(kind)}); END;\n"
    )
    for kind, changes in CHANGES.items()
    for number, change in enumerate(changes)
)
