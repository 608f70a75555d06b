"""Runs steps again whose files are gone: a restored backup, or a machine without its disk, has no
work folders.
"""

import logging
from collections.abc import Callable
from pathlib import Path

from svc.base import atomic_file
from svc.base.steps import STEPS
from svc.domain.lifecycle import script_review
from svc.domain.tables.productions import Step
from svc.work import work_folder
from svc.work.step_process.outcomes import Completed, Outcome

log = logging.getLogger("svc.pipeline")


def recreate_files(step: Step, folder: Path, run: Callable[[str], Outcome]) -> Outcome:
    """Make the files of the steps before ``step`` if they are gone. A script that people review
    stays as it was.

    ``run``: runs the step of a name in ``folder``. Returns the outcome of the step that did not
    complete, or Completed.
    """
    mark = folder / work_folder.UNFINISHED
    if step["position"] == 0 or work_folder.has_all_files(folder):
        return Completed()
    log.warning("the work folder is lost; the steps before %s are run again", step["name"])
    mark.touch()
    for name, _ in STEPS[: step["position"]]:
        if name == STEPS[0][0] and place_script(step["production_id"], folder):
            continue
        if not isinstance(outcome := run(name), Completed):
            return outcome
    mark.unlink()
    return Completed()


def place_script(production_id: str, folder: Path) -> bool:
    """Put the script into ``folder`` that a production has already; return whether it has one."""
    whole = script_review.find_written_script(production_id)
    if whole is not None:
        atomic_file.write_text(folder / work_folder.SCRIPT, whole)
    return whole is not None
