"""Every write to Jobs and what belongs to them: one function a verb, each a transaction that enqueues on commit."""
