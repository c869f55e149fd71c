"""Formulas without a TeX installation: manim's `Tex` and `MathTex` are set by MathJax inside the process."""

from .engine import TexError
from .shim import install

__all__ = ["TexError", "install"]
