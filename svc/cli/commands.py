"""The command ``python app.py``: its groups, and ``serve`` when nothing is named."""

import click

from svc.cli import backup, belongings, bundle, demo, deploy, doctor, key_ring, listen, production, render, seed, serve, verify


class _ServeByDefault(click.Group):
    def parse_args(self, ctx, args):
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h")):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ServeByDefault, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The Partner Production API: serve it, show it, run it."""


main.add_command(serve.serve)
main.add_command(backup.backup)
main.add_command(backup.restore)
main.add_command(doctor.doctor)
main.add_command(demo.demo)
main.add_command(deploy.deploy)
main.add_command(bundle.bundle)
main.add_command(listen.listen)
main.add_command(render.render)
main.add_command(seed.seed)
main.add_command(production.production)
main.add_command(verify.verify)
main.add_command(verify.identity)
main.add_command(belongings.partner)
main.add_command(key_ring.key_ring)
