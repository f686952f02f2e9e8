"""Does prefix-aware routing pay off: replay of a trace against endpoints, statistics over runs, and a verdict."""

from warmroute.measure.run import ReplayedRequest, Run, Window, WindowKind

__all__ = ["ReplayedRequest", "Run", "Window", "WindowKind"]
