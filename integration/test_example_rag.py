"""Retrieved passages behind what questions share, and before it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from example_runs import run_example

from warmroute.demo import example_spec
from warmroute.local.testing import MakeEndpoint

pytest_plugins = ["warmroute.local.testing"]


def test_questions_about_one_document_meet_its_warm_instance_only_where_it_comes_first(
    local_endpoint: MakeEndpoint,
) -> None:
    endpoint = local_endpoint(example_spec())

    said = run_example("rag", endpoint.environment)

    bad, good = re.split(r"^shared_first:$", said, flags=re.MULTILINE)
    requests = endpoint.requests
    half = len(requests) // 2
    before, after = _answers(bad), _answers(good)
    documents = [document for document, _ in after]
    assert len(before) == len(after) == half
    assert documents == [document for document, _ in before]  # The same retrieval in both.
    assert len(set(documents)) <= half - 2

    assert len({request.key for request in requests[:half]}) == half
    assert max(cached for _, cached in before) < 0.5
    assert re.search(r"part at byte \d+: text_change\. Move what changes behind what stays the same", bad)

    assert len({request.key for request in requests[half:]}) == len(set(documents))
    homes = {(document, each.instance) for document, each in zip(documents, requests[half:], strict=True)}
    assert len(homes) == len(set(documents))
    again = [cached for number, (document, cached) in enumerate(after) if document in documents[:number]]
    assert min(again) > 0.85
    assert "nothing is lost." in good
    assert "nothing is lost." not in bad


def test_one_question_about_documents_of_one_s_own(local_endpoint: MakeEndpoint, tmp_path: Path) -> None:
    endpoint = local_endpoint(example_spec())
    for name, fact in (("bread", "Knead the dough for ten minutes."), ("coffee", "Grind the beans just before.")):
        (tmp_path / f"{name}.md").write_text("\n\n".join(f"{fact} This is hint {n}. " * 4 for n in range(40)), "utf-8")
    environment = {**endpoint.environment, "DOCUMENTS": str(tmp_path)}

    for question in ("How long is the dough kneaded?", "When do I knead?", "When are beans ground?"):
        assert run_example("rag", environment, question).strip()

    kneaded, knead, beans = (request.key for request in endpoint.requests)
    assert kneaded == knead != beans


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"DOCUMENTS: .* holds no Markdown files\."):
        run_example("rag", {"DOCUMENTS": str(tmp_path)})


def _answers(said: str) -> list[tuple[str, float]]:
    """The document behind each answer, and the cached share of its prompt."""
    told = re.findall(r"^ +(\d+) of +(\d+) tokens cached, from ([\w-]+): ", said, re.MULTILINE)
    return [(document, int(cached) / int(prompt)) for cached, prompt, document in told]
