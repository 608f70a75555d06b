"""A plugin of pytest for .ci/run and .ci/full, which install everything:
a test that skips itself there has failed.
"""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # the process that gathers the reports has one
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and (skipped := reporter.stats.get("skipped")):
        print(f"\n{len(skipped)} skipped: {', '.join(each.nodeid for each in skipped)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
