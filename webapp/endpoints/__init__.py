"""The models that are served, and how a worker reaches them."""
