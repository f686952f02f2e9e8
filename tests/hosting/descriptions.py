"""Endpoint configurations as ``aws sagemaker describe-endpoint-config`` prints them."""

from __future__ import annotations

from typing import Any

ARN = "arn:aws:sagemaker:eu-west-1:123456789012:endpoint-config/chat-2026"

METADATA: dict[str, Any] = {
    "RequestId": "b7c5e1f0-6a7c-4b1d-9d0e-1f2a3b4c5d6e",
    "HTTPStatusCode": 200,
    "HTTPHeaders": {"content-type": "application/x-amz-json-1.1", "content-length": "612"},
    "RetryAttempts": 0,
}


def described(**fields: Any) -> dict[str, Any]:
    """A description with the fields that every one has."""
    return {
        "EndpointConfigName": "chat-2026",
        "EndpointConfigArn": ARN,
        "CreationTime": "2026-09-14T08:21:43.512000+00:00",
        **fields,
    }


VARIANT: dict[str, Any] = {
    "VariantName": "main",
    "ModelName": "llama-70b",
    "InitialInstanceCount": 4,
    "InstanceType": "ml.p5.48xlarge",
    "InitialVariantWeight": 1.0,
    "ModelDataDownloadTimeoutInSeconds": 1_800,
    "ContainerStartupHealthCheckTimeoutInSeconds": 1_800,
    "EnableSSMAccess": False,
    "RoutingConfig": {
        "RoutingStrategy": "PREFIX_AWARE",
        "PrefixAwareRoutingConfig": {"PrefixLength": 4_096, "ConcurrencyThreshold": 16},
    },
    "InferenceAmiVersion": "al2023-ami-sagemaker-inference-gpu-4-1",
}

ASYNC: dict[str, Any] = {
    "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 4},
    "OutputConfig": {
        "S3OutputPath": "s3://a/answers",
        "S3FailurePath": "s3://a/failures",
        "NotificationConfig": {
            "SuccessTopic": "arn:aws:sns:eu-west-1:123456789012:answers",
            "IncludeInferenceResponseIn": ["SUCCESS_NOTIFICATION_TOPIC"],
        },
    },
}

DATA_CAPTURE: dict[str, Any] = {
    "EnableCapture": True,
    "InitialSamplingPercentage": 20,
    "DestinationS3Uri": "s3://c/captured",
    "KmsKeyId": "arn:aws:kms:eu-west-1:123456789012:key/4b1c8c1e-0d5f-4ad6-8e07-5f3f4b8f0a11",
    "CaptureOptions": [{"CaptureMode": "Input"}, {"CaptureMode": "Output"}],
    "CaptureContentTypeHeader": {"JsonContentTypes": ["application/json"]},
}

METRICS: dict[str, Any] = {
    "EnableEnhancedMetrics": True,
    "EnableDetailedObservability": True,
    "MetricPublishFrequencyInSeconds": 10,
}

EXPLAINER: dict[str, Any] = {
    "ClarifyExplainerConfig": {
        "EnableExplanations": "`false`",
        "InferenceConfig": {"FeatureTypes": ["text"], "MaxPayloadInMB": 6},
        "ShapConfig": {
            "ShapBaselineConfig": {"MimeType": "text/csv", "ShapBaseline": "<unk>"},
            "TextConfig": {"Language": "en", "Granularity": "sentence"},
        },
    }
}

POOLED = {key: value for key, value in VARIANT.items() if key != "InstanceType"} | {
    "InstancePools": [
        {"InstanceType": "ml.p5.48xlarge", "Priority": 1},
        {"InstanceType": "ml.p5e.48xlarge", "Priority": 2, "ModelNameOverride": "llama-70b-h200"},
    ],
    "VariantInstanceProvisionTimeoutInSeconds": 900,
}

OF_COMPONENTS = {key: value for key, value in VARIANT.items() if key != "ModelName"} | {
    "ManagedInstanceScaling": {
        "Status": "ENABLED",
        "MinInstanceCount": 2,
        "MaxInstanceCount": 8,
        "ScaleInPolicy": {"Strategy": "CONSOLIDATION", "MaximumStepSize": 1, "CooldownInMinutes": 20},
    },
}

SERVERLESS = {
    "VariantName": "AllTraffic",
    "ModelName": "small",
    "InitialVariantWeight": 1.0,
    "ServerlessConfig": {"MemorySizeInMB": 4_096, "MaxConcurrency": 20, "ProvisionedConcurrency": 5},
}

ROLE = "arn:aws:iam::123456789012:role/service-role/AmazonSageMaker-ExecutionRole-20260101T000000"

DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "one variant": described(ProductionVariants=[VARIANT]),
    "from boto3": described(ProductionVariants=[VARIANT], ResponseMetadata=METADATA),
    "shadow": described(
        ProductionVariants=[VARIANT],
        ShadowProductionVariants=[VARIANT | {"VariantName": "shadow", "ModelName": "next"}],
    ),
    "asynchronous": described(
        ProductionVariants=[VARIANT | {"RoutingConfig": {"RoutingStrategy": "RANDOM"}}], AsyncInferenceConfig=ASYNC
    ),
    "data capture": described(ProductionVariants=[VARIANT], DataCaptureConfig=DATA_CAPTURE, MetricsConfig=METRICS),
    "explainer": described(ProductionVariants=[VARIANT], ExplainerConfig=EXPLAINER),
    "inference components": described(
        ProductionVariants=[OF_COMPONENTS],
        ExecutionRoleArn=ROLE,
        EnableNetworkIsolation=False,
        VpcConfig={"SecurityGroupIds": ["sg-0a1b2c3d"], "Subnets": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
        CrossRegionTrafficConfig={"MaxInvocationsPerSecondPerInstance": 50, "MaxCrossRegionPercentPerEndpoint": 20},
    ),
    "instance pools": described(ProductionVariants=[POOLED]),
    "serverless": described(ProductionVariants=[SERVERLESS]),
    "two variants": described(
        ProductionVariants=[VARIANT, VARIANT | {"VariantName": "b", "InitialVariantWeight": 0.25}],
        KmsKeyId="alias/chat",
    ),
}
"""A description of each kind of endpoint."""
