"""Proofreel in the browser: Django, a durable queue, and everything kept in Postgres."""
