"""The agent: from a sentence to a rendered Manim animation, without a web server."""

__version__ = "0.1.0"
