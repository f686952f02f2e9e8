"""Local sessions and the server's process take nothing from the AWS settings around them."""

from __future__ import annotations

import os

import pytest
from botocore.config import Config

from warmroute.local.isolation import without_aws_settings
from warmroute.local.session import local_session

URL = "http://localhost:8333"
HOSTILE = {
    "AWS_PROFILE": "nope",
    "AWS_DEFAULT_PROFILE": "nope",
    "AWS_ENDPOINT_URL": "http://elsewhere:1",
    "AWS_ENDPOINT_URL_SAGEMAKER": "http://elsewhere:2",
    "AWS_RETRY_MODE": "junk",
    "AWS_MAX_ATTEMPTS": "junk",
    "AWS_DEFAULTS_MODE": "junk",
    "AWS_USE_FIPS_ENDPOINT": "true",
    "AWS_USE_DUALSTACK_ENDPOINT": "true",
    "AWS_CA_BUNDLE": "/nonexistent",
    "AWS_METADATA_SERVICE_TIMEOUT": "junk",
    "AWS_REQUEST_CHECKSUM_CALCULATION": "junk",
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "junk",
    "AWS_STS_REGIONAL_ENDPOINTS": "junk",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
}


@pytest.fixture
def hostile(monkeypatch, tmp_path):
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        file = tmp_path / name
        file.write_text("[default]\nretry_mode = junk\nendpoint_url = http://elsewhere:3\nbroken", encoding="utf-8")
        monkeypatch.setenv(name, str(file))


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("service", ["sagemaker", "sagemaker-runtime", "s3", "sts", "application-autoscaling"])
def test_a_client_comes_here_whatever_the_environment_says(service) -> None:
    client = local_session(URL, "eu-west-1").client(service)

    assert client.meta.endpoint_url == URL
    assert client.meta.region_name == "eu-west-1"
    assert not client.meta.config.proxies
    assert client._endpoint.http_session._proxy_config.proxy_url_for(URL) is None


@pytest.mark.usefixtures("hostile")
def test_resources_come_here_too() -> None:
    assert local_session(URL, "eu-west-1").resource("s3").meta.client.meta.endpoint_url == URL


def test_a_client_s_own_configuration_is_added() -> None:
    client = local_session(URL, "eu-west-1").client("sagemaker-runtime", config=Config(read_timeout=7))

    assert (client.meta.config.read_timeout, client.meta.config.proxies) == (7, {})


@pytest.mark.usefixtures("hostile")
def test_the_server_s_process_has_no_aws_settings_while_it_serves() -> None:
    before = dict(os.environ)
    with without_aws_settings():
        within = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    assert within == {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    assert dict(os.environ) == before
