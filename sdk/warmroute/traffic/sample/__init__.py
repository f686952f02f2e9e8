"""Captured traffic of our own making, to try things on: a support assistant that many companies rent.

What is true of it, for whoever wants to check what a tool finds:

- Every request begins with the same system prompt of ``SYSTEM_CHARACTERS``; then comes the handbook of its tenant, the
  company that rents the assistant, ``DOCUMENT_CHARACTERS`` long; then a conversation that grows from call to call,
  whose first message begins with the number of a ticket. The first two are one system message.
- So the texts of all requests are equal for ``SYSTEM_CHARACTERS`` characters. Two tenants part within the next 3, two
  conversations of a tenant within ``TICKET_CHARACTERS`` after the end of their handbook. A window that ends between
  those places has one key for each tenant: ``TENANTS``, or as many as there are conversations if these are fewer.
- In the bytes of bodies, each of these places lies further on by what comes before the text, and by the second byte of
  line breaks and of some letters. Clients of every ``PARAMETERS_FIRST_EVERY``-th tenant write sampling parameters
  before the messages, with one of three ``max_tokens``: in any window of bytes, such a tenant has up to three keys.
- Bodies of every ``BASE64_EVERY``-th tenant are captured as base64, those of others as JSON.
- Tenants are of unequal size: the k-th largest has a share of about 1 / k ** 0.8 of the largest one's. Two bursts and a
  lull change the rate at which conversations begin.
- There is a broken line for every ``BROKEN_EVERY`` requests, on top of them, in one of four ways.
- Answers tell their usage: a token for every 4 characters of text, and 3 more for each message of the prompt.
"""

from warmroute.traffic.sample.capture import BASE64_EVERY, BROKEN_EVERY, ENDPOINT, SampleFolder, write_sample
from warmroute.traffic.sample.conversations import calls
from warmroute.traffic.sample.tenants import (
    DOCUMENT_CHARACTERS,
    PARAMETERS_FIRST_EVERY,
    SYSTEM_CHARACTERS,
    TENANTS,
    TICKET_CHARACTERS,
)

__all__ = [
    "BASE64_EVERY",
    "BROKEN_EVERY",
    "DOCUMENT_CHARACTERS",
    "ENDPOINT",
    "PARAMETERS_FIRST_EVERY",
    "SYSTEM_CHARACTERS",
    "TENANTS",
    "TICKET_CHARACTERS",
    "SampleFolder",
    "calls",
    "write_sample",
]
