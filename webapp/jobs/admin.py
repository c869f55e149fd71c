"""Jobs as the database has them, to look at: they are changed by actions only."""

from django.contrib import admin

from webapp.core.admin import LookOnly
from webapp.jobs.models import Call, Iteration, Job, Run, Worker


@admin.register(Job)
class JobAdmin(LookOnly):
    list_display = ("text", "owner", "status", "version", "created_at")
    list_filter = ("status",)
    search_fields = ("text", "owner__username")
    list_select_related = ("owner",)


@admin.register(Run)
class RunAdmin(LookOnly):
    list_display = ("job", "number", "status", "stage", "outcome", "stop_reason", "strategy", "model")
    list_filter = ("status", "outcome", "stop_reason", "strategy")
    list_select_related = ("job",)


@admin.register(Iteration)
class IterationAdmin(LookOnly):
    list_display = ("run", "index", "kind", "author", "ok", "error_kind", "created_at")
    list_filter = ("ok", "error_kind", "kind")
    list_select_related = ("run__job",)


@admin.register(Call)
class CallAdmin(LookOnly):
    list_display = ("run", "index", "role", "input_tokens", "output_tokens", "seconds", "cost")
    list_filter = ("role", "finish_reason")
    list_select_related = ("run__job",)


@admin.register(Worker)
class WorkerAdmin(LookOnly):
    list_display = ("name", "host", "sandbox_mode", "tex_backend", "started_at", "seen_at")
