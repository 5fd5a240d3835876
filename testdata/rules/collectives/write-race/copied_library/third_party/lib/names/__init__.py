"""Everything here is imported by its name."""
import importlib
import os

for name in os.listdir(os.path.dirname(__file__)):
    importlib.import_module(f"third_party.lib.names.{name[:-3]}")
