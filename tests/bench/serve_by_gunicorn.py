"""Serves the bare application as gunicorn does by itself: by its own worker with threads, as many
as ``python app.py serve`` has, and its other defaults.
"""

import argparse
import sys

from gunicorn.app.wsgiapp import run

from svc.serving import gunicorn_config

if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--port", type=int, required=True)
    port = asked.parse_args().port
    sys.argv[1:] = [
        "--worker-class=gthread",
        f"--threads={gunicorn_config.threads}",
        f"--bind=127.0.0.1:{port}",
        "tests.bench.bare:app",
    ]
    run()
