"""What is wrong with the environment that warmroute runs in, and how to mend it: one small probe for each part."""

from warmroute.doctor.diagnosis import Diagnosis, Status
from warmroute.doctor.machine import Machine
from warmroute.doctor.probes import diagnose

__all__ = ["Diagnosis", "Machine", "Status", "diagnose"]
