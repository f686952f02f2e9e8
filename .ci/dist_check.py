"""Build the wheel and the sdist, then install the wheel with each extra alone in an empty environment and use it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import venv
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CORE = """
import warmroute
from warmroute.demo import example_spec
from warmroute.errors import MissingExtraError
from warmroute.render import to_boto3, to_cloudformation, to_terraform
for name in warmroute.__all__:
    getattr(warmroute, name)
spec = example_spec()
assert [call.operation for call in to_boto3(spec)] == ["create_model", "create_endpoint_config", "create_endpoint"]
assert to_cloudformation(spec)["Resources"] and to_terraform(spec)["resource"]
"""
WITHOUT_LOCAL = """
from warmroute.local import serve
try:
    serve(spec)
except MissingExtraError as error:
    assert "warmroute[local]" in str(error)
else:
    raise AssertionError("the local endpoint starts without its extra")
"""
LOCAL = """
from warmroute.local import running_locally
with running_locally() as local:
    assert local.url
"""
SAGEMAKER = """
from warmroute.render import to_sagemaker_core
assert to_sagemaker_core(spec)
"""
CDK = """
import warmroute_cdk
assert warmroute_cdk.EndpointStack
"""
OPENAI = """
from warmroute.client import openai
from warmroute.client.testing import FakeEndpoint
endpoint = FakeEndpoint("Hello!", prefix_length=1024)
client = openai.client("chat", region="us-east-1", api_key="x", http_client=endpoint.http_client())
messages = [{"role": "user", "content": "Hi"}]
assert client.chat.completions.create(model="", messages=messages).choices[0].message.content == "Hello!"
"""
ANALYSIS = """
import tempfile
from warmroute.traffic import read_traffic
from warmroute.traffic.sample import write_sample
from warmroute.traffic.writers import write_traffic
with tempfile.TemporaryDirectory() as folder:
    captured = write_sample(folder, requests=50, hours=0.1)
    for name in ("trace.jsonl.zst", "again.jsonl"):
        source = captured.path if name == "trace.jsonl.zst" else folder + "/trace.jsonl.zst"
        written = write_traffic(read_traffic(source), f"{folder}/{name}", format="anonymised")
        assert written.requests == 50 and not written.left_out
"""
REPORT = """
import json
import tempfile
from pathlib import Path
from warmroute.measure.comparison import Comparison
from warmroute.measure.criteria import Criteria
from warmroute.measure.report import report_schema, write_report
nothing = Comparison(baseline="random", verdicts=(), runs=(), criteria=Criteria(), aa=None, manifest={}, left_out=())
with tempfile.TemporaryDirectory() as folder:
    files = write_report(Path(folder), nothing)
    assert "<svg" in files.page.read_text(encoding="utf-8")
    assert json.loads(files.document.read_text(encoding="utf-8"))["version"] == 1
assert report_schema()
"""
LOAD = """
from warmroute.measure.load import ReplayUser
assert ReplayUser.abstract
"""
SPARK = """
import ibis.backends.pyspark
import pyspark.sql
"""
CORE_MEGABYTES = 60
"""What the core may take on disk, in millions of bytes, beyond what boto3 brings."""

TYPED = ("warmroute/py.typed", "warmroute_cdk/py.typed")
LICENCES = ("LICENSE", "NOTICE")

USES = {
    "": CORE + WITHOUT_LOCAL,
    "analysis": CORE + ANALYSIS,
    "cdk": CORE + CDK,
    "load": CORE + LOAD,
    "local": CORE + LOCAL,
    "openai": CORE + OPENAI,
    "report": CORE + ANALYSIS + REPORT,
    "sagemaker": CORE + SAGEMAKER,
    "spark": CORE + ANALYSIS + SPARK,
    "all": CORE + ANALYSIS + CDK + LOCAL + OPENAI + REPORT + SAGEMAKER,
}
"""What each extra must be able to do; the empty one is the core.

Locust, which patches the standard library, is used in a process of its own: beside the CDK's threads that never ends.
"""


def main() -> None:
    """Check every distribution; the first failure ends the run."""
    extras = tomllib.loads(Path(ROOT, "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    missing = set(extras) - set(USES)
    if missing:
        sys.exit(f"No use is written down for the extras {', '.join(sorted(missing))}.")
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", str(ROOT / "dist"), str(ROOT))
    wheel, *_ = (ROOT / "dist").glob("*.whl")
    _run(sys.executable, "-m", "check_wheel_contents", "--toplevel", "warmroute,warmroute_cdk", str(wheel))
    _run(sys.executable, "-m", "twine", "check", "--strict", *map(str, (ROOT / "dist").iterdir()))
    _check_contents(wheel)
    for extra, use in USES.items():
        _try(wheel, extra, use)


def _check_contents(wheel: Path) -> None:
    """The marks of typed packages, and the licence with its notice, are in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for wanted in (*TYPED, *(f".dist-info/licenses/{name}" for name in LICENCES)):
        if not any(name.endswith(wanted) for name in names):
            sys.exit(f"{wheel.name} lacks {wanted}.")


def _try(wheel: Path, extra: str, use: str) -> None:
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    print(f"- {wheel.name}{f'[{extra}]' if extra else ''}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=False)
        python = Path(folder, "bin", "python")
        pip = (sys.executable, "-m", "pip", "--python", str(python))
        pins = ROOT / ("constraints-spark.txt" if extra == "spark" else "constraints.txt")
        _run(*pip, "install", "--quiet", "-c", str(pins), wanted)
        _run(*pip, "check")
        for program in (use, CORE + LOAD) if extra == "all" else (use,):
            _run(str(python), "-I", "-c", program)
        _run(str(Path(folder, "bin", "warmroute")), "--version")
        _run(str(python), "-m", "warmroute", "--version")
        if not extra:
            _check_size(Path(sysconfig.get_path("purelib", "venv", {"base": folder})))


def _check_size(site: Path) -> None:
    """The core, in an environment that has nothing else, is small: as installed, without compiled bytecode."""
    found = {each.name: each for each in distributions(path=[str(site)])}
    of_boto3, waiting = set(), ["boto3"]
    while waiting:
        of_boto3.add(name := waiting.pop())
        required = (re.match(r"[\w.-]+", line) for line in found[name].requires or () if "extra ==" not in line)
        waiting += [each[0] for each in required if each and each[0] not in of_boto3]
    sizes = {name: _bytes(each) for name, each in found.items() if name not in of_boto3}
    megabytes = sum(sizes.values()) / 1e6
    largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:4]
    said = ", ".join(f"{name} {sizes[name] / 1e6:.1f}" for name in largest)
    print(f"  {megabytes:.1f} MB beyond boto3, at most {CORE_MEGABYTES}: {said}, ...", flush=True)
    if megabytes > CORE_MEGABYTES:
        sys.exit("The core has grown too large.")


def _bytes(distribution: Distribution) -> int:
    files = (Path(str(each.locate())) for each in distribution.files or () if each.suffix != ".pyc")
    return sum(file.stat().st_size for file in files if file.is_file())


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=tempfile.gettempdir(), check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command[:6])}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
