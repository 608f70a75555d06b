"""The command ``python app.py``: its groups, and ``serve`` when nothing is named."""

import click

from svc.cli import (
    account,
    alert,
    audit,
    avatar,
    backup,
    belongings,
    bundle,
    completion,
    customer,
    demo,
    deploy,
    doctor,
    key,
    key_ring,
    listen,
    maintenance,
    production,
    queue,
    render,
    rule,
    seed,
    serve,
    user,
    verify,
    webhook,
)


class _ServeByDefault(click.Group):
    def parse_args(self, ctx, args):
        if not ctx.resilient_parsing and (not args or (args[0].startswith("-") and args[0] not in ("--help", "-h"))):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ServeByDefault, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The Partner Production API: serve it, show it, run it."""


for each in (
    serve.serve, demo.demo, listen.listen, render.render, seed.seed, belongings.partner, customer.customer, account.account,
    avatar.avatar, key.key, key_ring.key_ring, user.user, production.production, queue.queue, webhook.webhook, alert.alert,
    rule.rule, maintenance.maintenance, audit.audit, backup.backup, backup.restore, doctor.doctor, deploy.deploy, bundle.bundle,
    verify.verify, verify.identity, completion.completion,
):  # fmt: skip
    main.add_command(each)
