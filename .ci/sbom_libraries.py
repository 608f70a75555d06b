"""Adds to a CycloneDX document what wheels hold besides Python:
the libraries that FFmpeg's licence depends on. Prints it.
"""

import json
import sys

# Within the wheel of av, which does not declare them. Their versions are the build's own, which the
# wheel does not say.
INSIDE_AV = {"FFmpeg": "GPL-2.0-or-later", "x264": "GPL-2.0-or-later", "x265": "GPL-2.0-or-later"}
INSIDE_ESPEAK = {"espeak-ng": "GPL-3.0-or-later"}


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for component in document["components"]:
        inside = {"av": INSIDE_AV, "espeakng-loader": INSIDE_ESPEAK}.get(component["name"], {})
        for name, licence in inside.items():
            component.setdefault("components", []).append(
                {
                    "type": "library",
                    "bom-ref": f"{component['name']}/{name}",
                    "name": name,
                    "licenses": [{"license": {"id": licence}}],
                }
            )
    if not any(component["name"] == "av" for component in document["components"]):
        sys.exit("av is not installed there: is it the environment of the service?")
    json.dump(document, sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1])
