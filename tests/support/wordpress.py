"""Debian's WordPress with MariaDB, on PHP's own server: a site with an author,
who has an application password.
"""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import requests
from support.places import Counterpart, _running

from tests.torture.victim import free_port

_SOURCE = Path("/usr/share/wordpress")
_CONFIG = """<?php
define('DB_NAME', 'wp'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:{folder}/db.sock');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', ''); $table_prefix = 'wp_';
define('WP_SITEURL', '{url}'); define('WP_HOME', '{url}'); define('WP_ENVIRONMENT_TYPE', 'local');
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
"""
_INSTALL = """<?php
$database = new mysqli('localhost', 'root', '', '', 0, '{folder}/db.sock');
$database->query('CREATE DATABASE wp');
define('WP_INSTALLING', true);
require '{folder}/site/wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Films', 'root', 'root@example.com', true, '', 'kettle');
foreach (array('ada' => 'author', 'bob' => 'subscriber') as $name => $role) {{
    $id = wp_insert_user(array('user_login' => $name, 'user_pass' => 'kettle', 'role' => $role));
    list($password) = WP_Application_Passwords::create_new_application_password(
        $id, array('name' => 'films'));
    echo "\\n$name=$password\\n";
}}
"""


@contextlib.contextmanager
def wordpress(folder: Path) -> Iterator[Counterpart]:
    """A site.

    ``fetch`` takes an address, or what follows ``rest_route=``; ``values`` have a subscriber's
    password, too.
    """
    site, port = folder / "site", free_port()
    (site / "wp-content/uploads").mkdir(parents=True)
    for file in _SOURCE.glob("*.php"):
        shutil.copy(file, site)
    for name in ("wp-includes", "wp-admin"):
        (site / name).symlink_to(_SOURCE / name)
    (site / "wp-config.php").unlink()
    (site / "wp-config.php").write_text(
        _CONFIG.format(folder=folder, url=f"http://127.0.0.1:{port}")
    )
    with _database(folder), _site(folder, port) as passwords:
        url = f"http://127.0.0.1:{port}"
        yield Counterpart(
            "WordPress",
            {
                "url": url,
                "user": "ada",
                "password": passwords["ada"],
                "subscriber": passwords["bob"],
            },
            _fetching(url, passwords["ada"]),
        )


@contextlib.contextmanager
def _database(folder: Path) -> Iterator[None]:
    user = ["--user=root"] if os.getuid() == 0 else []
    place = ["--no-defaults", f"--datadir={folder}/db", *user]
    made = [
        "mariadb-install-db",
        *place,
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
    ]
    subprocess.run(made, check=True, capture_output=True)
    socket = folder / "db.sock"
    serve = [
        "/usr/sbin/mariadbd",
        *place,
        f"--socket={socket}",
        f"--pid-file={folder}/db.pid",
        "--skip-networking",
    ]
    with _running(serve, socket, folder):
        yield


@contextlib.contextmanager
def _site(folder: Path, port: int) -> Iterator[dict[str, str]]:
    (folder / "install.php").write_text(_INSTALL.format(folder=folder))
    php = [
        "php",
        "-d",
        "sendmail_path=/bin/true",
        "-d",
        "upload_max_filesize=4M",
        "-d",
        "post_max_size=8M",
    ]
    done = subprocess.run(
        [*php, str(folder / "install.php")], check=True, capture_output=True, text=True
    )
    passwords = dict(re.findall(r"^(ada|bob)=(\S+)$", done.stdout, re.MULTILINE))
    workers = {**os.environ, "PHP_CLI_SERVER_WORKERS": "4"}
    with _running(
        [*php, "-S", f"127.0.0.1:{port}", "-t", str(folder / "site")], port, folder, workers
    ):
        yield passwords


def _fetching(url: str, password: str):
    def fetch(address: str) -> bytes | None:
        whole = address if "://" in address else f"{url}/?rest_route=/wp/v2/{address}"
        answer = requests.get(whole, auth=("ada", password), timeout=30)
        return answer.content if answer.ok else None

    return fetch
