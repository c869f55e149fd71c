"""What runs when nothing is provided: Postgres, Valkey, and the supervisor of every process of `./run`.

The standard library only, and nothing of ours is imported: it starts before anything else can be relied on.
"""
