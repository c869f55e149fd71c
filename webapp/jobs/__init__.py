"""What was asked for and what came of it: the queue, the work and the pages of a Job."""
