# What .ci/run and .ci/full share; both source it from the top of the checkout. Not run by itself.

say() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Install Debian's packages: from_debian NAME…
from_debian() {
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
}

# Copy what is committed or would be, and nothing else, to a folder: clean_copy FOLDER
clean_copy() {
    chmod 755 "$1"  # tests run the program as a user of its own, too
    git ls-files -z --cached --others --exclude-standard |
        xargs -0 sh -c 'for each; do [ ! -e "$each" ] || printf "%s\0" "$each"; done' sh |
        tar --null --create --files-from=- | tar --extract --directory="$1"
}

# Forget what could make this machine differ from a stranger's.
plain_environment() {
    local name
    for name in $(compgen -e | grep -E '^(SVC_|PYTHON|VIRTUAL_ENV)'); do unset "$name"; done
    export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1
}

# Run one of the two commands with which the README sets everything up, to the letter: readme_command 1|2 [WORD…]
readme_command() {
    local commands
    mapfile -t commands < <(grep '^python3 -m venv' README.md)
    [ "${#commands[@]}" = 2 ] || { echo "the README should have two commands, it has ${#commands[@]}" >&2; return 1; }
    bash -euo pipefail -c "${commands[$1 - 1]} ${*:2}"
}

# Install packages at the versions that .ci/requirements.txt pins: pinned NAME…
pinned() { .venv/bin/pip install -q -c .ci/requirements.txt "$@"; }

lint() {
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .
}

types() {
    .venv/bin/mypy --config-file .ci/mypy.ini svc app.py wsgi.py
    .venv/bin/mypy --config-file= --strict sdk/python/src sdk/generate.py
}

# The lines of a list that are no comments: listed FILE
listed() { sed -e 's/ *#.*//' -e '/^$/d' "$1"; }
