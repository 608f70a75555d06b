"""A flood of sign-ins in a process of its own: ``python tests/deploy/sign_in_flood.py PORT
CONNECTIONS SECONDS``.

Each connection has a page and its token first, and then guesses as fast as it is answered, from
another address of one IPv6 /64 each time, as the proxy in front would say. It prints how often each
status was answered.
"""

import collections
import http.client
import json
import re
import sys
import threading
import time
from urllib.parse import urlencode

_TOKEN = re.compile(rb'name="csrf_token" value="([^"]+)"')


def guess(port: int, number: int, until: float, counts: collections.Counter) -> None:
    """Open the sign-in page and guess until that instant."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {
        "X-Forwarded-For": f"2001:db8:1:2::{number:x}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection.request("GET", "/console/sign-in", headers=headers)
    page = connection.getresponse()
    headers["Cookie"] = page.getheader("Set-Cookie").partition(";")[0]
    token = _TOKEN.search(page.read())[1].decode()
    tries = 0
    while time.monotonic() < until:
        tries += 1
        headers["X-Forwarded-For"] = f"2001:db8:1:2:{number:x}::{tries:x}"
        form = urlencode(
            {"csrf_token": token, "email": f"guess{tries}@example.com", "password": "wrong horse"}
        )
        try:
            connection.request("POST", "/console/sign-in", form, headers)
            answer = connection.getresponse()
            answer.read()
            counts[answer.status] += 1
        except (http.client.HTTPException, OSError) as broken:
            counts[type(broken).__name__] += 1
            connection.close()


def main() -> None:
    port, connections, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    counts: collections.Counter = collections.Counter()
    until = time.monotonic() + seconds
    flood = [
        threading.Thread(target=guess, args=(port, number, until, counts))
        for number in range(1, connections + 1)
    ]
    for each in flood:
        each.start()
    for each in flood:
        each.join()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
