"""Helpers around the clients that applications already use: ``from warmroute.client import sagemaker``."""
