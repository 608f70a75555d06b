"""The process that :mod:`svc.adapters.notify` starts: sends one message by Apprise;
the exit status 0 means success.
"""

import json
import sys

import apprise


def main() -> int:
    message = json.load(sys.stdin)
    recipients = apprise.Apprise()
    added = [recipients.add(url) for url in message["urls"]]
    delivered = recipients.notify(title=message["title"], body=message["body"])
    return 0 if delivered and all(added) else 1


if __name__ == "__main__":
    sys.exit(main())
