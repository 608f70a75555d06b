"""``python app.py queue``: show the queue of steps, pause and resume it for one partner or for all,
and list, retry and abort the jobs by which several machines hear of it.
"""

import click

from svc.base import clock
from svc.cli import command_support
from svc.cli.command_support import Done, command, get_terminal_user, to_plain_row
from svc.domain.lifecycle import render_queue
from svc.domain.overview import queue_jobs

queue = command_support.group("queue", "The queue of steps: show, pause and resume it; its jobs.")
_PARTNER = click.option(
    "--partner", "partner_id", help="The partner whose queue is meant; the whole queue by default."
)
_JOB = click.argument(
    "job_id", metavar="ID", type=click.IntRange(1, command_support.LARGEST_NUMBER)
)


@command(queue, "show")
def show():
    """Show the partners that have work. Each has its weight, its numbers of waiting and running
    productions, and any pause; that of the whole queue is shown, too.
    """
    columns = ("partner_id", "name", "tier", "weight", "waiting", "running", "paused_at")
    paused_at = render_queue.find_pause_time()
    if paused_at is not None:  # beside the table, which is empty where nobody has work
        click.echo(
            f"The whole queue has been paused since {clock.format_time(paused_at)}.", err=True
        )
    return [
        to_plain_row({**row, "paused_at": row["paused_at"] or paused_at}, *columns)
        for row in render_queue.list_shares()
    ]


@command(queue, "pause")
@_PARTNER
def pause(partner_id):
    """Start no new steps. Running steps finish; triggers, cancellation and expiry continue."""
    render_queue.pause(get_terminal_user(), partner_id, clock.now())
    return _report_status(partner_id)


@command(queue, "resume")
@_PARTNER
def resume(partner_id):
    """Resume starting steps."""
    render_queue.resume(get_terminal_user(), partner_id, clock.now())
    return _report_status(partner_id)


@command(queue, "jobs")
def jobs():
    """List the jobs by which several machines hear of work. They wait (todo), run (doing), are
    stalled (their process is gone), failed or were aborted.
    """
    return [
        {
            "id": job["id"],
            "status": job["status"],
            "queue": job["queue"],
            "task": job["task"],
            "worker": job["worker"],
            "seconds": job["seconds"],
            "attempts": job["attempts"],
        }
        for job in queue_jobs.list_jobs()
    ]


@command(queue, "retry")
@_JOB
def retry(job_id):
    """Make a job ready again that failed or is stalled."""
    queue_jobs.retry(get_terminal_user(), job_id, clock.now())
    return Done(f"job {job_id} is ready again", {"id": job_id, "status": "todo"})


@command(queue, "abort")
@_JOB
def abort(job_id):
    """End what a running job does. Its step is killed, and free for any server or worker at once;
    its upload to a place breaks off, and is gone on with later. To end a production, cancel it.
    """
    queue_jobs.abort(get_terminal_user(), job_id, clock.now())
    return Done(f"job {job_id} ends, and its work is free", {"id": job_id, "status": "aborted"})


def _report_status(partner_id: str | None) -> Done:
    paused_at = render_queue.find_pause_time(partner_id)
    queue_name = f"the queue of {partner_id}" if partner_id else "the whole queue"
    words = f"{queue_name} is paused" if paused_at else f"{queue_name} goes on"
    return Done(words, {"partnerId": partner_id, "pausedAt": clock.format_time(paused_at)})
