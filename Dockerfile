# Two images of one program: `web` answers browsers, `worker` writes and renders. docs/deploy.md says how to run them.

FROM python:3.11-slim-bookworm AS build
# pycairo and manimpango have no wheels for Linux: they are compiled here, and only here.
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev libcairo2-dev libpango1.0-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY requirements.txt ./
RUN python -m venv .venv \
 && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements.txt

FROM build AS app
COPY manage.py LICENSE NOTICE ./
COPY agent agent
COPY webapp webapp
COPY templates templates
COPY static static
# The key is for this one command: nothing is signed while files are copied, and nothing of it stays in the image.
RUN SECRET_KEY=unused PROOFREEL_DATA=/data .venv/bin/python manage.py collectstatic --noinput --verbosity 0

FROM python:3.11-slim-bookworm AS runtime
# New volumes take their owner from these folders.
RUN useradd --uid 1000 --user-group --no-create-home --home-dir /cache --shell /usr/sbin/nologin proofreel \
 && install -d -o proofreel -g proofreel /data /data/media /cache
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PROOFREEL_DATA=/data \
    PROOFREEL_CACHE=/cache
WORKDIR /app

FROM runtime AS web
COPY --from=app /app /app
COPY --from=app --chown=proofreel:proofreel /data/static /data/static
USER proofreel
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
CMD ["gunicorn", "webapp.wsgi", "-k", "gthread", "--threads", "12", "--graceful-timeout", "2", "--no-control-socket", \
  "--bind", "0.0.0.0:8000"]

FROM runtime AS worker
RUN apt-get update \
 && apt-get install -y --no-install-recommends libcairo2 libpangocairo-1.0-0 libseccomp2 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=app /app /app
USER proofreel
CMD ["python", "manage.py", "work"]
