"""Coming in, and looking after the house."""

from django.urls import path

from webapp.core.views import health, invitations, sign_in

app_name = "core"
urlpatterns = [
    path("sign-in/", sign_in.sign_in, name="sign_in"),
    path("sign-in/<str:token>/", sign_in.sign_in_by_link, name="sign_in_by_link"),
    path("sign-out/", sign_in.sign_out, name="sign_out"),
    path("password/", sign_in.password, name="password"),
    path("invitations/", invitations.invitations, name="invitations"),
    path("invitations/<uuid:token>/", invitations.accept, name="accept"),
    path("health", health.health, name="health"),
]
