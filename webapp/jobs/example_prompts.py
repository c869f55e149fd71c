"""Prompts to start from, for people who see the empty box for the first time."""

EXAMPLE_PROMPTS = (
    "A blue square turns into a yellow circle, and the circle then moves to the right edge of the screen.",
    "Show that the angles of a triangle add up to 180 degrees: the three corners are cut off and laid side by side.",
    "Plot y = x² from -2 to 2 and let a dot travel along the curve from left to right.",
    "Show how a bar chart with the values 5, 2, 4, 1 and 3 is sorted from small to large, one swap after another.",
    "Write the equation 2x + 3 = 11 and solve it step by step until x = 4, each step below the one before.",
    "A pendulum swings from left to right four times, with a dashed vertical line through the point it hangs from.",
)
