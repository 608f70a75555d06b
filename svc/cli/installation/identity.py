"""``python app.py identity``: print this installation's identity."""

import click

from svc.base import settings
from svc.base.errors import CommandError
from svc.cli.installation import signatures


@click.command()
def identity() -> None:
    """Print the public key and the certificate authority of this installation,
    with which others verify its files.
    """
    if not signatures.find_secret_in():
        raise CommandError(
            f"There is no installation in {settings.read().data_dir}; start it once, or set "
            "SVC_DATA_DIR."
        )
    answer = signatures.run_job({"task": "identity", "secret_in": signatures.find_secret_in()})
    click.echo(f"Installation {answer['fingerprint']}", err=True)
    click.echo(answer["pem"], nl=False)
