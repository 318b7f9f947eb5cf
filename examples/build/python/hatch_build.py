"""Generates the typed client when the wheel is built."""

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GENERATE = (
    "helixor-sdk-gen",
    "generate",
    "--manifest",
    "embedded-pack-manifest.json",
    "--lang",
    "python",
    "--out",
    "build/helixor",
)


class GenerateHook(BuildHookInterface[Any]):
    """Generates, and puts the client's package into the wheel beside the project's own."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Do so before the wheel is built; an editable install finds the package where it is."""
        subprocess.run(GENERATE, cwd=self.root, check=True)
        package = Path(self.root, "build/helixor/python/regulatorypiiguard")
        key = "force_include_editable" if version == "editable" else "force_include"
        build_data[key][str(package)] = "regulatorypiiguard"
