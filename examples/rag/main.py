"""Answers from documents: the same retrieval in two prompts, of which one shares its beginning and one does not."""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from library import Library, Passage

from warmroute.client.chat import SageMakerChat
from warmroute.prefix import canonical_json, explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.client.chat import ChatReply

    Layout = Callable[[str, list[Passage], Library], list[dict[str, Any]]]

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")
DOCUMENTS = Path(os.environ.get("DOCUMENTS", Path(__file__).with_name("documents")))
PREFIX_LENGTH = 4_096
"""That of the endpoint, to explain what it does."""

INSTRUCTIONS = "Answer from the documents that you are given, and say so where they do not tell."
QUESTIONS = (
    "How often do I descale the coffee machine?",
    "What does E2 on the display of the washing machine mean?",
    "The coffee only drips, which grind is right?",
    "How do I clean the filter of the pump?",
    "Why is my espresso not hot enough?",
    "My laundry smells, what can I do?",
)


def shared_first(question: str, found: list[Passage], library: Library) -> list[dict[str, Any]]:
    """What many questions share comes first, in the same order every time; what is this question's own comes last."""
    document = found[0].document
    # The whole document of the best passage: more tokens, which are computed once for all questions about it.
    system = f"{INSTRUCTIONS}\n\n{library.documents[document]}"
    others = sorted(passage for passage in found if passage.document != document)  # Not by score.
    context = "\n\n".join(f"From {passage.document}:\n{passage.text}" for passage in others)
    return [{"role": "system", "content": system}, {"role": "user", "content": f"{context}\n\n{question}"}]


def passages_first(question: str, found: list[Passage], library: Library) -> list[dict[str, Any]]:
    """The usual way: passages in the order of their scores, before all else. Every question has a new beginning."""
    context = "\n\n".join(f"From {passage.document}:\n{passage.text}" for passage in found)
    system = f"{context}\n\n{library.documents[found[0].document]}\n\n{INSTRUCTIONS}"
    return [{"role": "system", "content": system}, {"role": "user", "content": question}]


def answer(chat: SageMakerChat, messages: list[dict[str, Any]]) -> ChatReply:
    """The model's answer; the chat sends canonical JSON, messages first."""
    return chat.complete({"messages": messages, "max_tokens": 64, "temperature": 0})


def compare(chat: SageMakerChat, library: Library, layout: Layout) -> None:
    """Ask all questions in one layout, and tell what was cached and why not more."""
    print(f"{layout.__name__}:")
    prompts: dict[str, list[bytes]] = {}
    for question in QUESTIONS:
        found = library.search(question)
        messages = layout(question, found, library)
        prompts.setdefault(found[0].document, []).append(canonical_json({"messages": messages}))
        usage = answer(chat, messages).usage
        told = f"{usage.cached_tokens:5} of {usage.prompt_tokens:5} tokens cached" if usage else "no usage"
        print(f"  {told}, from {found[0].document}: {question}")
    # Two questions about one document should share it: where do their requests part?
    for one, other in [pair for bodies in prompts.values() for pair in combinations(bodies, 2)][:1]:
        parting = explain(one, other, api="invoke", prefix_length=PREFIX_LENGTH)
        print(f"  two questions about one document part at byte {parting.compared_offset:,}: ", end="")
        print("nothing is lost.\n" if parting.is_harmless else f"{parting.cause}. {parting.remedy}\n")


def main() -> None:
    """Answer the question of the command line, or compare the two layouts."""
    library = Library(DOCUMENTS)
    if not library.passages:
        sys.exit(f"DOCUMENTS: {DOCUMENTS} holds no Markdown files.")
    # boto3 finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    chat = SageMakerChat(boto3.client("sagemaker-runtime", region_name=REGION), ENDPOINT_NAME)
    if question := " ".join(sys.argv[1:]):
        print(answer(chat, shared_first(question, library.search(question), library)).text)
        return
    for layout in (passages_first, shared_first):
        compare(chat, library, layout)


if __name__ == "__main__":
    main()
