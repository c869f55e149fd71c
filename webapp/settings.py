"""Django's settings. Every value that differs between machines comes from `webapp.environment`."""

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from webapp.environment import ROOT, read_environment

ENVIRONMENT = read_environment()


def secret_key(data: Path) -> str:
    """SECRET_KEY, else one that is made once and kept beside the data, readable by its owner only."""
    if ENVIRONMENT.secret_key:
        return ENVIRONMENT.secret_key
    file = data / "secret_key"
    if not file.exists():
        data.mkdir(parents=True, exist_ok=True)
        fresh = data / f"secret_key.{secrets.token_hex(4)}"
        fresh.touch(mode=0o600)
        with fresh.open("w", encoding="ascii") as written:
            written.write(secrets.token_urlsafe(50))
            written.flush()
            os.fsync(written.fileno())  # a name without its content would fail every start after a power cut
        with suppress(FileExistsError):  # whoever comes first decides; the others read it
            file.hardlink_to(fresh)
        fresh.unlink()
    return file.read_text(encoding="ascii")


SECRET_KEY = secret_key(ENVIRONMENT.data)
DEBUG = False
# This machine is always allowed: that is where health is asked for.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", *filter(None, map(str.strip, ENVIRONMENT.allowed_hosts.split(",")))]

INSTALLED_APPS = [
    "webapp.core",
    "webapp.endpoints",
    "webapp.jobs",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "csp",
    "django_rq",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "webapp.urls"
WSGI_APPLICATION = "webapp.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": dj_database_url.parse(ENVIRONMENT.database_url, conn_max_age=600, conn_health_checks=True)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "core.User"
LOGIN_URL = "core:sign_in"
LOGIN_REDIRECT_URL = "jobs:ask"
LOGOUT_REDIRECT_URL = "core:sign_in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# The queue. Rows in Postgres are the truth; Valkey only says which of them to look at next.
RQ_QUEUES = {"default": {"URL": ENVIRONMENT.redis_url}}
# Its own place in the admin would let all staff empty the queue; `webapp.urls` has the pages for superusers.
RQ_SHOW_ADMIN_LINK = False

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [ROOT / "static"]
STATIC_ROOT = ENVIRONMENT.data / "static"
MEDIA_ROOT = ENVIRONMENT.data / "media"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

RENDER_SOCKET = ENVIRONMENT.render_socket
BOOT_ID = ENVIRONMENT.boot_id

# Cookies do not tell ports apart: two of these on one machine would sign each other's people out.
COOKIE_NAME = hashlib.sha256(str(ENVIRONMENT.data).encode()).hexdigest()[:8]
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"session-{COOKIE_NAME}", f"csrf-{COOKIE_NAME}"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.https else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "webapp.core.views.errors.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"webapp": {"level": "INFO"}, "django.request": {"level": "ERROR"}},
}
