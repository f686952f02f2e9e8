"""Fits an engine profile to a live OpenAI-compatible server, from how long it takes to answer."""

from warmroute.fleet.calibration.answers import Answer, CalibrationError, Server
from warmroute.fleet.calibration.fit import Constant, Fit
from warmroute.fleet.calibration.openai_server import OpenAiServer
from warmroute.fleet.calibration.probe import Limits, Measurements, probe
from warmroute.fleet.calibration.result import Calibration, calibrate

__all__ = [
    "Answer",
    "Calibration",
    "CalibrationError",
    "Constant",
    "Fit",
    "Limits",
    "Measurements",
    "OpenAiServer",
    "Server",
    "calibrate",
    "probe",
]
