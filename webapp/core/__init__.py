"""People: who they are, what they may do, how they come in; and the pages around every other page."""
