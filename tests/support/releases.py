"""Migrations of releases to come, beside those of this one."""

import shutil
from pathlib import Path

from svc.base.version import VERSION as RELEASE
from svc.store.engine.schema import MIGRATIONS, VERSION
from tests.support.documents import ROOT

NEXT, NEXT_RELEASE = VERSION + 1, "99.0.0"
ROLLING = """-- rolling
-- What the next release brings, on which this one can go on.
CREATE TABLE shelves (
    production_id TEXT PRIMARY KEY REFERENCES productions (id) ON DELETE CASCADE,
    opened        INTEGER NOT NULL DEFAULT 0 CHECK (opened IN (0, 1))
) STRICT, WITHOUT ROWID;
ALTER TABLE productions ADD COLUMN shelf TEXT;
ALTER TABLE accounts ADD COLUMN shelves INTEGER NOT NULL DEFAULT 1;
CREATE INDEX productions_on_shelves ON productions (shelf) WHERE shelf IS NOT NULL;
"""
UNMARKED = ROLLING.replace("-- rolling\n", "")


def migrations_with(folder: Path, *scripts: str) -> Path:
    """Return a folder with the migrations of this release and, in order, those of the next ones."""
    shutil.copytree(MIGRATIONS, folder)
    for number, script in enumerate(scripts, NEXT):
        (folder / f"{number:04}_next.sql").write_text(script)
    return folder


def newer_program(folder: Path, script: str) -> Path:
    """Return the program of the next release: this one with another version and
    one more migration.
    """
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "svc", folder / "svc", ignore=ignored)
    # with workers that wait
    shutil.copytree(ROOT / "tests" / "support", folder / "tests" / "support", ignore=ignored)
    for name in ("app.py", "wsgi.py", "schema.sql"):
        shutil.copy(ROOT / name, folder)
    version = folder / "svc" / "base" / "version.py"
    version.write_text(
        version.read_text().replace(f'VERSION = "{RELEASE}"', f'VERSION = "{NEXT_RELEASE}"')
    )
    (folder / "svc" / "store" / "migrations" / f"{NEXT:04}_next.sql").write_text(script)
    with (folder / "schema.sql").open("a") as schema:
        schema.write(f"\n{script}")
    return folder
