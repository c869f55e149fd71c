"""Every URL of the product."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("webapp.jobs.urls")),
    path("", include("webapp.core.urls")),
    path("admin/queue/", include("django_rq.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "webapp.core.views.errors.bad_request"
handler403 = "webapp.core.views.errors.permission_denied"
handler404 = "webapp.core.views.errors.not_found"
handler500 = "webapp.core.views.errors.server_error"
