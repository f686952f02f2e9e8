"""Online explanations by SageMaker Clarify, held so that a described configuration survives a round trip."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.text import BaselineMimeType, Url
from warmroute.settings import Many, Settings

# fmt: off
TextLanguage = Literal[
    "af", "sq", "ar", "hy", "eu", "bn", "bg", "ca", "zh", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "de",
    "el", "gu", "he", "hi", "hu", "is", "id", "ga", "it", "kn", "ky", "lv", "lt", "lb", "mk", "ml", "mr", "ne",
    "nb", "fa", "pl", "pt", "ro", "ru", "sa", "sr", "tn", "si", "sk", "sl", "es", "sv", "tl", "ta", "tt", "te",
    "tr", "uk", "ur", "yo", "lij", "xx",
]
# fmt: on
"""Language of a text feature. Source: botocore ``ClarifyTextLanguage``."""

_Short = Annotated[str, Field(min_length=1, max_length=64)]


class ClarifyInferenceConfig(Settings):
    """How Clarify reads requests and answers. Source: botocore ``ClarifyInferenceConfig``."""

    features_attribute: _Short | None = None
    """JMESPath of the features in a request."""

    content_template: _Short | None = None
    """Template of a JSON request."""

    max_record_count: int | None = Field(default=None, ge=1)
    """Records in one request to the model."""

    max_payload_in_mb: int | None = Field(default=None, ge=1, le=25)
    """Size of one request to the model, in megabytes."""

    probability_index: int | None = Field(default=None, ge=0)
    """Position of the score in an answer."""

    label_index: int | None = Field(default=None, ge=0)
    """Position of the label in an answer."""

    probability_attribute: _Short | None = None
    """JMESPath of the score in an answer."""

    label_attribute: _Short | None = None
    """JMESPath of the label in an answer."""

    label_headers: Annotated[Many[_Short], Field(min_length=1, max_length=16)] | None = None
    """Names of the labels."""

    feature_headers: Annotated[Many[_Short], Field(min_length=1, max_length=256)] | None = None
    """Names of the features."""

    feature_types: (
        Annotated[Many[Literal["numerical", "categorical", "text"]], Field(min_length=1, max_length=256)] | None
    ) = None
    """Kinds of the features."""


class ClarifyShapBaselineConfig(Settings):
    """What a record is compared with. Source: botocore ``ClarifyShapBaselineConfig``."""

    mime_type: BaselineMimeType | None = None
    """MIME type of the baseline."""

    shap_baseline: Annotated[str, Field(min_length=1, max_length=4_096)] | None = None
    """The baseline itself."""

    shap_baseline_uri: Url | None = None
    """Where the baseline is stored."""


class ClarifyTextConfig(Settings):
    """How text features are split. Source: botocore ``ClarifyTextConfig``."""

    language: TextLanguage
    """Language code of the text."""

    granularity: Literal["token", "sentence", "paragraph"]
    """Unit that is explained."""


class ClarifyShapConfig(Settings):
    """How SHAP values are computed. Source: botocore ``ClarifyShapConfig``."""

    shap_baseline_config: ClarifyShapBaselineConfig
    """What a record is compared with."""

    number_of_samples: int | None = Field(default=None, ge=1)
    """Samples per record."""

    use_logit: bool | None = None
    """Whether the logit is taken of the scores."""

    seed: int | None = None
    """Seed of the sampling."""

    text_config: ClarifyTextConfig | None = None
    """How text features are split."""


class ClarifyExplainerConfig(Settings):
    """Explanations by Clarify. Source: botocore ``ClarifyExplainerConfig``."""

    enable_explanations: _Short | None = None
    """JMESPath that says which records are explained."""

    inference_config: ClarifyInferenceConfig | None = None
    """How requests and answers are read."""

    shap_config: ClarifyShapConfig
    """How SHAP values are computed."""


class ExplainerConfig(Settings):
    """Explanations of an endpoint's answers. Source: botocore ``ExplainerConfig``."""

    clarify_explainer_config: ClarifyExplainerConfig | None = None
    """Explanations by Clarify."""
