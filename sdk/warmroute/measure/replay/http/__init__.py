"""HTTP/1.1 as a replay needs it: many answers streamed at once, each part timed as it comes in, at little CPU time.

A general client wakes a task for every part of an answer. Here the connection hands each part to the answer at once:
less than half of aiohttp's CPU time for a streamed answer.
"""
