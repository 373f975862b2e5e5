"""The small repository of the plugin's tests, for the traps of pytest."""

from tests.plugin.conftest import bare, checks, suite

__all__ = ["bare", "checks", "suite"]
