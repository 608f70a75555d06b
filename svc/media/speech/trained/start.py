"""Starts the process of the trained voices; run by its path from a step.

A confined step may read the folder ``svc``, but not the one that contains it, in which Python would
look for ``svc``.
"""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_SERVICE = Path(__file__).parents[3]


def main(module: str) -> int:
    """Run ``main`` of a module of ``svc`` and return its result."""
    spec = spec_from_file_location(
        "svc", _SERVICE / "__init__.py", submodule_search_locations=[str(_SERVICE)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(str(_SERVICE))
    sys.modules["svc"] = package = module_from_spec(spec)
    spec.loader.exec_module(package)
    result: int = import_module(module).main()
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
