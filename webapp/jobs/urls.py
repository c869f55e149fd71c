"""Asking, watching, and finding again."""

from django.urls import path

from webapp.jobs import views

app_name = "jobs"
urlpatterns = [
    path("", views.ask, name="ask"),
    path("jobs/", views.history, name="history"),
    path("jobs/<uuid:job_id>/", views.job, name="job"),
    path("jobs/<uuid:job_id>/progress", views.progress, name="progress"),
    path("jobs/<uuid:job_id>/cancel", views.cancel, name="cancel"),
    path("jobs/<uuid:job_id>/retry", views.retry, name="retry"),
    path("status/", views.status, name="status"),
    path("runs/<uuid:run_id>/<str:name>", views.final_file, name="final_file"),
    path("runs/<uuid:run_id>/<int:index>/<str:name>", views.iteration_file, name="iteration_file"),
]
