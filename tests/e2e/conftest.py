import shutil

import pytest

from stack import FOLDERS, Stack


def pytest_sessionfinish(exitstatus):
    """The logs of a run that failed stay."""
    if exitstatus == 0:
        for folder in FOLDERS:
            shutil.rmtree(folder)


@pytest.fixture(scope="module")
def stack():
    """One running server for the tests of a file."""
    with Stack() as running:
        yield running
