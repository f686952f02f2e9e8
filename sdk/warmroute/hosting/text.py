"""The forms of names, ARNs, locations and keys that SageMaker accepts, each as its service model gives it.

A pattern is AWS's own, held to the whole text.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Name = Annotated[str, Field(pattern=r"\A(?:[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62})\Z", max_length=63)]
"""Name of an endpoint, an endpoint configuration or a variant. Source: botocore ``EndpointName``."""

ModelName = Annotated[str, Field(pattern=r"\A(?:[a-zA-Z0-9]([\-a-zA-Z0-9]*[a-zA-Z0-9])?)\Z", max_length=63)]
"""Name of a model or an inference component. Source: botocore ``ModelName``."""

RoleArn = Annotated[
    str,
    Field(pattern=r"\A(?:arn:aws[a-z\-]*:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+)\Z", min_length=20, max_length=2048),
]
"""ARN of an IAM role. Source: botocore ``RoleArn``."""

KmsKeyId = Annotated[str, Field(pattern=r"\A(?:[a-zA-Z0-9:/_-]*)\Z", max_length=2048)]
"""Id, ARN or alias of a KMS key. Source: botocore ``KmsKeyId``."""

Url = Annotated[str, Field(pattern=r"\A(?:(https|s3)://([^/]+)/?(.*))\Z", max_length=1024)]
"""Location of an artefact in S3. Source: botocore ``Url`` and ``S3ModelUri``."""

DestinationS3Uri = Annotated[str, Field(pattern=r"\A(?:(https|s3)://([^/])/?(.*))\Z", max_length=512)]
"""Where SageMaker writes to. Source: botocore ``DestinationS3Uri``."""

ImageUri = Annotated[str, Field(pattern=r"\A(?:[\S]+)\Z", max_length=255)]
"""Registry path of a container image. Source: botocore ``ContainerImage``."""

EnvironmentKey = Annotated[str, Field(pattern=r"\A(?:[a-zA-Z_][a-zA-Z0-9_]*)\Z", max_length=1024)]
"""Name of an environment variable. Source: botocore ``EnvironmentKey``."""

EnvironmentValue = Annotated[str, Field(pattern=r"\A(?:[\S\s]*)\Z", max_length=1024)]
"""Value of an environment variable. Source: botocore ``EnvironmentValue``."""

ModelPackageName = Annotated[
    str,
    Field(
        pattern=r"\A(?:(arn:aws[a-z\-]*:sagemaker:[a-z0-9\-]*:[0-9]{12}:[a-z\-]*\/)?([a-zA-Z0-9]([a-zA-Z0-9-]){0,62})(?<!-)(\/[0-9]{1,9})?)\Z",
        min_length=1,
        max_length=176,
    ),
]
"""Name or ARN of a model package. Source: botocore ``VersionedArnOrName``."""

MlReservationArn = Annotated[
    str,
    Field(
        pattern=r"\A(?:arn:aws[a-z\-]*:sagemaker:[a-z0-9\-]*:[0-9]{12}:[a-z0-9\-]{1,14}/.*)\Z",
        min_length=20,
        max_length=258,
    ),
]
"""ARN of an ML capacity reservation. Source: botocore ``MlReservationArn``."""

AcceleratorPartitionType = Annotated[
    str, Field(pattern=r"\A(?:mig-[0-9]+g\.[0-9]+gb([+-][a-z0-9.]+)*)\Z", max_length=32)
]
"""MIG profile of one GPU partition. Source: botocore ``AcceleratorPartitionType``."""

SecurityGroupId = Annotated[str, Field(pattern=r"\A(?:[-0-9a-zA-Z]+)\Z", max_length=32)]
"""Id of a security group. Source: botocore ``SecurityGroupId``."""

SubnetId = Annotated[str, Field(pattern=r"\A(?:[-0-9a-zA-Z]+)\Z", max_length=32)]
"""Id of a subnet. Source: botocore ``SubnetId``."""

SnsTopicArn = Annotated[
    str, Field(pattern=r"\A(?:arn:aws[a-z\-]*:sns:[a-z0-9\-]*:[0-9]{12}:[a-zA-Z0-9_.-]+)\Z", max_length=2048)
]
"""ARN of an SNS topic. Source: botocore ``SnsTopicArn``."""

AlarmName = Annotated[str, Field(pattern=r"\A(?:(?!\s*$).+)\Z", min_length=1, max_length=255)]
"""Name of a CloudWatch alarm. Source: botocore ``AlarmName``."""

MetricsEndpointPath = Annotated[str, Field(pattern=r"\A(?:/(?!.*\.\.)[a-zA-Z0-9/_.\-]+)\Z", max_length=256)]
"""HTTP path of a container's metrics. Source: botocore ``MetricsEndpointPath``."""

ChannelName = Annotated[str, Field(pattern=r"\A(?:[A-Za-z0-9\.\-_]+)\Z", min_length=1, max_length=64)]
"""Name of a further artefact's folder. Source: botocore ``AdditionalModelChannelName``."""

TextContentType = Annotated[
    str,
    Field(pattern=r"\A(?:[a-zA-Z0-9](-*[a-zA-Z0-9])*\/[a-zA-Z0-9](-*[a-zA-Z0-9.])*)\Z", min_length=1, max_length=256),
]
"""Content type of captured data. Source: botocore ``CsvContentType`` and ``JsonContentType``."""

BaselineMimeType = Annotated[
    str, Field(pattern=r"\A(?:[a-zA-Z0-9](-*[a-zA-Z0-9])*\/[a-zA-Z0-9](-*[a-zA-Z0-9+.])*)\Z", max_length=255)
]
"""MIME type of an explainer's baseline. Source: botocore ``ClarifyMimeType``."""

InstanceType = Annotated[str, Field(pattern=r"\A(?:ml\.[a-z0-9-]+\.[a-z0-9]+)\Z")]
"""An ML instance type, for example ``ml.p5.48xlarge``."""
