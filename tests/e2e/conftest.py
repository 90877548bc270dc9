import pytest

from stack import Stack


@pytest.fixture(scope="module")
def stack():
    """One running server for the tests of a file."""
    with Stack() as running:
        yield running
