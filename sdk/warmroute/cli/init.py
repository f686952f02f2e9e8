"""``warmroute init``: write a first spec, or print it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    path: Annotated[Path, typer.Argument(help="Where to write the spec; - prints it.")] = Path("endpoint.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write a first spec: vLLM on seven ml.p5.48xlarge with prefix-aware routing.

    Example: warmroute init endpoint.yaml
    """
    from warmroute.demo import example_spec_text
    from warmroute.errors import DocumentError

    if str(path) == "-":
        typer.echo(example_spec_text(), nl=False)
        return
    if path.suffix == ".json":
        raise DocumentError(f"{path}: a first spec is written as YAML, with comments.", "Choose a name in .yaml.")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(example_spec_text())
    except FileExistsError:
        raise DocumentError(f"{path}: the file exists.", "Choose another name, or --force to overwrite it.") from None
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror}.", "Choose a folder that exists and can be written.") from None
    typer.echo(f"Wrote {path}. Next: warmroute validate {path}")
