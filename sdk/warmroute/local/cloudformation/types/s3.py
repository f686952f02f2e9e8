"""S3: buckets and their policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.local.cloudformation.types.base import ResourceType, tags_of
from warmroute.local.control.bootstrap import staging_bucket

if TYPE_CHECKING:
    from warmroute.local.cloudformation.api import Api
    from warmroute.local.cloudformation.stacks import StackResource
    from warmroute.local.cloudformation.types.base import Properties


class Bucket(ResourceType):
    """A bucket; versions, encryption, public access and tags are applied, what else it has is only recorded."""

    name = "AWS::S3::Bucket"
    name_property = "BucketName"
    name_is_lower = True

    def exists(self, api: Api, properties: Properties) -> bool:
        """Whether the account has the bucket, which creating it again would give."""
        name = properties["BucketName"]
        return name != staging_bucket(api.account, api.region) and _has_bucket(api, name)

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the bucket; the seeded staging bucket of the CDK is taken over."""
        name = properties["BucketName"]
        if name == staging_bucket(api.account, api.region):
            api.call("s3", "HeadBucket", Bucket=name)
        else:
            where = {} if api.region == "us-east-1" else {"LocationConstraint": api.region}
            api.call("s3", "CreateBucket", Bucket=name, CreateBucketConfiguration=where or None)
        resource.physical_id = name
        self._apply(api, name, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Apply what the template says now."""
        self._apply(api, resource.physical_id, properties, before)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the bucket, which must be empty."""
        if _has_bucket(api, resource.physical_id):
            api.remove("s3", "DeleteBucket", Bucket=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and the names of its hosts."""
        name = resource.physical_id
        return {
            "Arn": f"arn:{api.partition}:s3:::{name}",
            "DomainName": f"{name}.s3.amazonaws.com",
            "RegionalDomainName": f"{name}.s3.{api.region}.amazonaws.com",
            "DualStackDomainName": f"{name}.s3.dualstack.{api.region}.amazonaws.com",
            "WebsiteURL": f"http://{name}.s3-website-{api.region}.amazonaws.com",
        }

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a bucket."""
        return dict(resource.properties) if _has_bucket(api, resource.physical_id) else None

    def _apply(self, api: Api, name: str, properties: Properties, before: Properties) -> None:
        versions = properties.get("VersioningConfiguration")
        if versions != before.get("VersioningConfiguration"):
            status = versions or {"Status": "Suspended"}
            api.call("s3", "PutBucketVersioning", Bucket=name, VersioningConfiguration=status)
        encryption = properties.get("BucketEncryption")
        if encryption:
            rules = [
                {
                    "ApplyServerSideEncryptionByDefault": rule.get("ServerSideEncryptionByDefault"),
                    **({"BucketKeyEnabled": rule["BucketKeyEnabled"]} if "BucketKeyEnabled" in rule else {}),
                }
                for rule in encryption["ServerSideEncryptionConfiguration"]
            ]
            api.call("s3", "PutBucketEncryption", Bucket=name, ServerSideEncryptionConfiguration={"Rules": rules})
        public = properties.get("PublicAccessBlockConfiguration")
        if public:
            api.call("s3", "PutPublicAccessBlock", Bucket=name, PublicAccessBlockConfiguration=public)
        tags = tags_of(properties)
        if tags:
            api.call("s3", "PutBucketTagging", Bucket=name, Tagging={"TagSet": tags})
        elif tags_of(before):
            api.call("s3", "DeleteBucketTagging", Bucket=name)


class BucketPolicy(ResourceType):
    """A bucket's policy, only recorded: moto would enforce it without its conditions, and refuse everything."""

    name = "AWS::S3::BucketPolicy"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Record it under its bucket's name."""
        resource.physical_id = properties["Bucket"]

    def read(self, api: Api, resource: StackResource) -> Properties | None:
        """What the template says, if there is such a bucket."""
        return dict(resource.properties) if _has_bucket(api, resource.physical_id) else None


def _has_bucket(api: Api, name: str) -> bool:
    return any(bucket["Name"] == name for bucket in api.call("s3", "ListBuckets")["Buckets"])


TYPES: tuple[ResourceType, ...] = (Bucket(), BucketPolicy())
