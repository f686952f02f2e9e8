"""A live OpenAI-compatible server, asked by the openai client."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Any

from warmroute.errors import MissingExtraError
from warmroute.fleet.calibration.answers import Answer, CacheSize, CalibrationError, PromptTooLongError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self


class OpenAiServer:
    """A server's chat completions, streamed.

    Use it as a context manager, which closes its connections.

    Args:
        url: The API's base, with its ``/v1`` where it has one.
        model: The model to ask for; None asks for the first that the server lists.
        api_key: Sent as a bearer token.
        headers: Further headers of every request.
        timeout_seconds: How long an answer may take.
        http_client: The ``http_client`` of ``openai.AsyncOpenAI``; None for its own.

    Raises:
        MissingExtraError: The openai client is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: str = "none",
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float = 120.0,
        http_client: Any = None,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("warmroute calibrate", "openai") from error
        self._openai = openai
        self._url = url
        self._model = model
        self._listed: Any = None
        self._ignores_end = True
        self._runner = asyncio.Runner()
        self._client = openai.AsyncOpenAI(
            base_url=url,
            api_key=api_key,
            default_headers=dict(headers or {}),
            timeout=timeout_seconds,
            max_retries=0,
            http_client=http_client,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._runner.run(self._client.close())
        self._runner.close()

    def seconds(self) -> float:
        """Seconds on a clock that only moves forward."""
        return time.perf_counter()

    def ask(self, prompts: Sequence[str], output_tokens: int) -> list[Answer]:
        """Send prompts at the same moment, and wait for all answers."""
        name = self._model_name()
        return self._runner.run(self._ask_all(name, prompts, output_tokens))

    def context_tokens(self) -> int | None:
        """What vLLM's list of models calls ``max_model_len``."""
        listed = self._model_listed()
        return getattr(listed, "max_model_len", None)

    def cache_size(self) -> CacheSize | None:
        """What vLLM's metric ``vllm:cache_config_info`` says, beside the API's base; None where it cannot be read."""
        root = re.sub(r"/v1/?$", "", self._url)
        try:
            text = str(self._runner.run(self._client.get(f"{root.rstrip('/')}/metrics", cast_to=str)))
        except self._openai.OpenAIError:
            return None
        labels = re.search(r"^vllm:cache_config_info\{(.*)\}", text, re.MULTILINE)
        values = dict(re.findall(r'(\w+)="(\d+)"', labels[1])) if labels else {}
        if not {"block_size", "num_gpu_blocks"} <= values.keys():
            return None
        size = int(values["block_size"])
        return CacheSize(size, size * int(values["num_gpu_blocks"]))

    def _model_listed(self) -> Any:
        """The model as the server lists it; None when it lists none of that name."""
        if self._listed is None:
            try:
                models = self._runner.run(self._list_models())
            except self._openai.APIStatusError:
                models = []
            except self._openai.APIConnectionError as error:
                raise self._unreachable(error) from None
            wanted = [model for model in models if self._model in {None, model.id}]
            self._listed = wanted[0] if wanted else False
        return self._listed or None

    async def _list_models(self) -> list[Any]:
        return list((await self._client.models.list()).data)

    def _model_name(self) -> str:
        if self._model is None:
            listed = self._model_listed()
            # SageMaker lists no models and takes an empty name for the only one.
            self._model = listed.id if listed else ""
        return self._model

    async def _ask_all(self, model: str, prompts: Sequence[str], output_tokens: int) -> list[Answer]:
        return list(await asyncio.gather(*(self._ask(model, prompt, output_tokens) for prompt in prompts)))

    async def _ask(self, model: str, prompt: str, output_tokens: int) -> Answer:
        openai = self._openai
        try:
            return await self._stream(model, prompt, output_tokens)
        except openai.BadRequestError as error:
            if self._ignores_end and re.search("ignore_eos|extra|unknown|unrecognized", str(error), re.IGNORECASE):
                self._ignores_end = False
                return await self._ask(model, prompt, output_tokens)
            raise PromptTooLongError(*self._refused(error)) from None
        except openai.APIStatusError as error:
            kind = PromptTooLongError if error.status_code == 413 else CalibrationError
            raise kind(*self._refused(error)) from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from None

    async def _stream(self, model: str, prompt: str, output_tokens: int) -> Answer:
        # vLLM's own parameter: answers are as long as they are to be.
        more = {"ignore_eos": True} if self._ignores_end else {}
        sent = time.perf_counter()
        stream = await self._client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": prompt}],
            max_tokens=output_tokens,
            temperature=0.0,
            stream=True,
            stream_options={"include_usage": True},
            extra_body=more,
        )
        times: list[float] = []
        usage = None
        try:
            async for chunk in stream:
                if chunk.choices and _has_token(chunk.choices[0].delta):
                    times.append(time.perf_counter() - sent)
                usage = chunk.usage or usage
        except self._openai.APIError:
            raise CalibrationError(
                f"{self._url} broke an answer off.", "See the server's log; start again when it is well."
            ) from None
        if usage is None or not times:
            raise CalibrationError(
                f"{self._url} does not stream: an answer came without {'usage' if times else 'pieces'}.",
                "Use a server that streams chat completions and honours stream_options.include_usage.",
            )
        details = usage.prompt_tokens_details
        return Answer(
            usage.prompt_tokens,
            details.cached_tokens if details else None,
            usage.completion_tokens,
            tuple(times),
        )

    def _unreachable(self, error: Exception) -> CalibrationError:
        if isinstance(error, self._openai.APITimeoutError):
            return CalibrationError(
                f"{self._url} did not answer in time.", "Give the server nothing else to do, or it more time."
            )
        return CalibrationError(
            f"No server answers at {self._url}.", "Start it, or give the base of its API: http://HOST:PORT/v1."
        )

    def _refused(self, error: Any) -> tuple[str, str]:
        body = error.body if isinstance(error.body, dict) else {}
        said = str(body.get("message") or body.get("detail") or "").partition("\n")[0][:200].rstrip(".")
        remedies = {
            401: "Give a key with --api-key or WARMROUTE_API_KEY.",
            403: "Give a key with --api-key or WARMROUTE_API_KEY.",
            404: "Give the base of the API, http://HOST:PORT/v1, and a model that the server has with --model.",
        }
        remedy = remedies.get(error.status_code, "See the server's log.")
        return f"{self._url} answered with status {error.status_code}{': ' + said if said else ''}.", remedy


def _has_token(delta: Any) -> bool:
    """Whether a piece brings a token: of text, of reasoning, or of a character that is not whole yet, which is no text.

    A piece without text that names the role comes before any token, or with the first, whose own piece follows.
    """
    return bool(delta.model_extra or delta.content or (delta.content == "" and not delta.role))
