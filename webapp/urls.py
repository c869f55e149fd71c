"""Every URL of the product."""

from django.contrib import admin
from django.contrib.auth.decorators import user_passes_test
from django.urls import include, path
from django_rq.urls import get_admin_urlpatterns, get_api_urlpatterns

# On these pages one can empty the queue: they are for superusers.
for_superusers = user_passes_test(lambda user: user.is_superuser, login_url="admin:login")
QUEUE_PAGES = get_api_urlpatterns() + get_admin_urlpatterns(view_wrapper=for_superusers)

urlpatterns = [
    path("", include("webapp.jobs.urls")),
    path("", include("webapp.core.urls")),
    path("admin/queue/", include((QUEUE_PAGES, "django_rq"))),
    path("admin/", admin.site.urls),
]

handler400 = "webapp.core.views.errors.bad_request"
handler403 = "webapp.core.views.errors.permission_denied"
handler404 = "webapp.core.views.errors.not_found"
handler500 = "webapp.core.views.errors.server_error"
