"""A program beside a library that was copied: of that it uses one module."""
import third_party.lib.names
from third_party.lib.data.used import keep


def main(state):
    keep(state, "states")
    return third_party.lib.names


if __name__ == "__main__":
    main({})
