"""S3 buckets, secrets, parameters and image repositories."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.local.cloudformation.types.base import ResourceType, tag_changes, tags_of
from warmroute.local.cloudformation.types.iam import document
from warmroute.local.control.bootstrap import VERSION_PARAMETER, staging_bucket

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
        return name != staging_bucket(api.account, api.region) and self._exists(api, name)

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
        if self._exists(api, resource.physical_id):
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
        return dict(resource.properties) if self._exists(api, resource.physical_id) else None

    def _exists(self, api: Api, name: str) -> bool:
        return any(bucket["Name"] == name for bucket in api.call("s3", "ListBuckets")["Buckets"])

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


class Secret(ResourceType):
    """A secret, given or made up."""

    name = "AWS::SecretsManager::Secret"
    name_property = "Name"

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Store the secret."""
        created = api.call(
            "secretsmanager",
            "CreateSecret",
            **{key: properties.get(key) for key in ("Name", "Description", "KmsKeyId")},
            SecretString=self._content(api, properties),
            Tags=tags_of(properties),
        )
        resource.physical_id = created["ARN"]

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Store another secret, if the template says another."""
        said = ("SecretString", "GenerateSecretString")
        changed = any(properties.get(key) != before.get(key) for key in said)
        content = self._content(api, properties) if changed else None
        named = {"SecretId": resource.physical_id}
        described = {key: properties.get(key) for key in ("Description", "KmsKeyId")}
        api.call("secretsmanager", "UpdateSecret", **named, **described, SecretString=content)
        added, removed = tag_changes(before, properties)
        if removed:
            api.call("secretsmanager", "UntagResource", **named, TagKeys=removed)
        if added:
            api.call("secretsmanager", "TagResource", **named, Tags=added)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Forget the secret at once, so that its name is free."""
        api.remove("secretsmanager", "DeleteSecret", SecretId=resource.physical_id, ForceDeleteWithoutRecovery=True)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its id, which is its ARN."""
        return {"Id": resource.physical_id}

    def _content(self, api: Api, properties: Properties) -> str | None:
        wanted = properties.get("GenerateSecretString")
        if wanted is None:
            text: str | None = properties.get("SecretString")
            return text
        rules = {key: value for key, value in wanted.items() if key not in _TEMPLATE}
        password = api.call("secretsmanager", "GetRandomPassword", **rules)["RandomPassword"]
        if "SecretStringTemplate" not in wanted:
            return str(password)
        return json.dumps({**json.loads(wanted["SecretStringTemplate"]), wanted["GenerateStringKey"]: password})


class Parameter(ResourceType):
    """A parameter of Systems Manager's store."""

    name = "AWS::SSM::Parameter"
    name_property = "Name"
    name_limit = 512

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Store the parameter; the seeded version of the CDK's bootstrap is taken over."""
        seeded = properties["Name"] == VERSION_PARAMETER
        api.call("ssm", "PutParameter", **self._request(properties), Overwrite=seeded)
        resource.physical_id = properties["Name"]
        self._retag(api, resource, properties, {})

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Store another value."""
        wanted = self._request({**properties, "Name": resource.physical_id})
        api.call("ssm", "PutParameter", **wanted, Overwrite=True)
        self._retag(api, resource, properties, before)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Forget the parameter."""
        api.remove("ssm", "DeleteParameter", Name=resource.physical_id)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its type and its value."""
        return {key: resource.properties.get(key) for key in ("Type", "Value")}

    def _request(self, properties: Properties) -> dict[str, Any]:
        return {key: value for key, value in properties.items() if key != "Tags"}

    def _retag(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        # The schema has these tags as a map.
        wanted, had = properties.get("Tags") or {}, before.get("Tags") or {}
        named = {"ResourceType": "Parameter", "ResourceId": resource.physical_id}
        if set(had) - set(wanted):
            api.call("ssm", "RemoveTagsFromResource", **named, TagKeys=sorted(set(had) - set(wanted)))
        if wanted:
            tags = [{"Key": key, "Value": str(value)} for key, value in wanted.items()]
            api.call("ssm", "AddTagsToResource", **named, Tags=tags)


class Repository(ResourceType):
    """A repository of container images."""

    name = "AWS::ECR::Repository"
    name_property = "RepositoryName"
    name_limit = 256
    name_is_lower = True
    _settings: ClassVar[dict[str, str]] = {
        "ImageTagMutability": "imageTagMutability",
        "ImageScanningConfiguration": "imageScanningConfiguration",
    }

    def create(self, api: Api, resource: StackResource, properties: Properties) -> None:
        """Make the repository."""
        name = properties["RepositoryName"]
        settings = {api_name: properties.get(key) for key, api_name in self._settings.items()}
        scanning = settings["imageScanningConfiguration"]
        settings["imageScanningConfiguration"] = {"scanOnPush": scanning["ScanOnPush"]} if scanning else None
        api.call("ecr", "CreateRepository", repositoryName=name, tags=tags_of(properties), **settings)
        resource.physical_id = name
        self._set_policies(api, name, properties)

    def update(self, api: Api, resource: StackResource, properties: Properties, before: Properties) -> None:
        """Change its policies and whether tags can move."""
        name = resource.physical_id
        mutability = properties.get("ImageTagMutability", "MUTABLE")
        api.call("ecr", "PutImageTagMutability", repositoryName=name, imageTagMutability=mutability)
        self._set_policies(api, name, properties)

    def delete(self, api: Api, resource: StackResource) -> bool:
        """Delete the repository, with its images where the template says so."""
        force = resource.properties.get("EmptyOnDelete", False)
        api.remove("ecr", "DeleteRepository", repositoryName=resource.physical_id, force=force)
        return True

    def attributes(self, api: Api, resource: StackResource) -> Properties:
        """Its ARN and its address."""
        found = api.call("ecr", "DescribeRepositories", repositoryNames=[resource.physical_id])["repositories"][0]
        return {"Arn": found["repositoryArn"], "RepositoryUri": found["repositoryUri"]}

    def _set_policies(self, api: Api, name: str, properties: Properties) -> None:
        if "RepositoryPolicyText" in properties:
            text = document(properties["RepositoryPolicyText"])
            api.call("ecr", "SetRepositoryPolicy", repositoryName=name, policyText=text)
        if "LifecyclePolicy" in properties:
            text = properties["LifecyclePolicy"].get("LifecyclePolicyText")
            api.call("ecr", "PutLifecyclePolicy", repositoryName=name, lifecyclePolicyText=text)


_TEMPLATE = {"SecretStringTemplate", "GenerateStringKey"}

TYPES: tuple[ResourceType, ...] = (Bucket(), BucketPolicy(), Secret(), Parameter(), Repository())
