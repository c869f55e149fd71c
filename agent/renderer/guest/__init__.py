"""The only code of ours that is visible inside the sandbox. It imports nothing of ours outside this folder."""
