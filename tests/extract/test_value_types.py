"""Calls through attributes and other values, by what the files say of their types."""

from code_helpers import triples

JOBS = """
    from contextlib import contextmanager

    class Job:
        def run(self): ...
        def __enter__(self): return self

    class Quick(Job):
        @property
        def next(self) -> "Job | None": ...

    class JobManager:
        def finish_job(self) -> Job: ...
        def jobs(self) -> dict[str, list[Job]]: ...
        @contextmanager
        def open(self): yield Job()

    @contextmanager
    def locked() -> "Iterator[Quick]": ...

    def quick(): return Quick()
    """
APP = """
    from typing import Optional
    from jobs import JobManager

    class App:
        job_manager: JobManager

        def __init__(self, spare: Optional[JobManager] = None):
            self.spare = spare

    app = App()
    """


def calls(body: str) -> set[str]:
    """What `main.run` calls; `body` is indented by eight spaces."""
    main = f"from app import App, app\nfrom jobs import Job, Quick, JobManager, locked, quick\n{body}"
    files = {"pyproject.toml": "[project]", "jobs.py": JOBS, "app.py": APP, "main.py": main}
    found = triples(files, "calls")
    return {each.removeprefix("main.run calls ") for each in found if each.startswith("main.run calls ")}


def test_a_call_through_attributes_is_followed_from_file_to_file() -> None:
    assert calls("def run(it: App): it.job_manager.finish_job().run()") == {
        "jobs.JobManager.finish_job",
        "jobs.Job.run",
    }
    assert calls("def run(): app.spare.jobs()") == {"jobs.JobManager.jobs"}
    assert calls("def run(all: 'list[App]'):\n  for each in all: each.spare.jobs()") == {"jobs.JobManager.jobs"}


def test_what_a_function_gives_and_a_base_class_has_is_followed() -> None:
    assert calls("def run(): quick().next.run()") == {"jobs.quick", "jobs.Job.run"}
    assert calls("def run():\n  it = quick()\n  it.run()") == {"jobs.quick", "jobs.Job.run"}


def test_what_with_gives_is_what_is_entered() -> None:
    assert calls("def run():\n  with Quick() as it: it.next.run()") == {"jobs.Quick", "jobs.Job.run"}
    assert calls("def run():\n  with locked() as it: it.next.run()") == {"jobs.locked", "jobs.Job.run"}


def test_items_of_containers_are_of_the_types_of_their_arguments() -> None:
    loop = "for name, each in it.jobs().items():\n    for job in each: job.run()"

    assert calls(f"def run(it: JobManager):\n  {loop}") == {"jobs.JobManager.jobs", "jobs.Job.run"}
    assert "jobs.Job.run" in calls("def run(it: JobManager): it.jobs()['a'][0].run()")


def test_what_is_bound_to_two_types_or_to_an_unknown_one_is_not_followed() -> None:
    assert calls("def run(it):\n  it = it or Job()\n  it.run()") == {"jobs.Job"}
    assert calls("def run(it: Job | App): it.run()") == set()
    assert calls("def run():\n  it = Job()\n  it = App()\n  it.run()") == {"jobs.Job", "app.App", "app.App.__init__"}
    assert calls("def run(it):\n  a = it.b\n  b = a.c\n  a = b.d\n  a.run()") == set()
