"""Example prompts with the Manim code that answers them, written for this project."""
