"""A tenant of the gateway asks twice, and then another one asks the same; with the openai client, as anybody would."""

from __future__ import annotations

import os

from openai import OpenAI

PORT = os.environ.get("PORT", "8080")
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60


def main() -> None:
    """Stream three answers, and tell what was cached of each prompt."""
    for tenant in ("acme", "acme", "initech"):
        client = OpenAI(base_url=f"http://localhost:{PORT}/v1", api_key=f"key-of-{tenant}")
        chunks = client.chat.completions.create(
            model="",
            messages=[{"role": "system", "content": HANDBOOK}, {"role": "user", "content": "Can I send it back?"}],
            max_tokens=16,
            stream=True,
            stream_options={"include_usage": True},
        )
        print(f"{tenant}: ", end="")
        for chunk in chunks:
            if chunk.choices:
                print(chunk.choices[0].delta.content or "", end="", flush=True)
            elif (usage := chunk.usage) and usage.prompt_tokens_details:
                print(f"\n  {usage.prompt_tokens} in the prompt, {usage.prompt_tokens_details.cached_tokens} cached")


if __name__ == "__main__":
    main()
