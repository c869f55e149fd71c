"""The pages of asking, watching and finding again."""

from webapp.jobs.views.asking import ask
from webapp.jobs.views.files import final_file, iteration_file
from webapp.jobs.views.finding import history
from webapp.jobs.views.house import status
from webapp.jobs.views.job_page import cancel, job, progress, retry

__all__ = ["ask", "cancel", "final_file", "history", "iteration_file", "job", "progress", "retry", "status"]
