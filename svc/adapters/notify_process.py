"""The process that :mod:`svc.adapters.notify` starts: one message by Apprise; its status says whether all of it was taken."""

import json
import sys

import apprise


def main() -> int:
    asked = json.load(sys.stdin)
    people = apprise.Apprise()
    taken = [people.add(url) for url in asked["urls"]]
    told = people.notify(title=asked["title"], body=asked["body"])
    return 0 if told and all(taken) else 1


if __name__ == "__main__":
    sys.exit(main())
