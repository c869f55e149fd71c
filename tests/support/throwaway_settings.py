"""The product's settings over services that live as long as this test process: see `throwaway.py`.

The folders are decided here, when Django reads its settings; the services start when the first test wants them.
"""

import throwaway

throwaway.lead_here()

from webapp.settings import *  # noqa: E402, F403

# A connection that outlives its test would keep the test database from being dropped.
DATABASES["default"]["CONN_MAX_AGE"] = 0  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Tests look at pages, not at the manifest that `collectstatic` writes.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}  # noqa: F405
WHITENOISE_AUTOREFRESH = True
