"""Commands that measure and print JSON. What documents quote is kept in `results/`, with versions and commit."""
