"""Plain sentences of documentation, each beside those that look like it and say something else."""

import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Vexor project uses GitLab CI for automated testing.", ("Vexor", "uses", "GitLab CI")),
        ("The `vex-dep` utility is part of the `vex-utils` package.", ("vex-dep", "part_of", "vex-utils")),
        ("Vexor is an official part of the GNU project.", ("Vexor", "part_of", "GNU")),
        ("Vexor implements Moss's PROXY protocol.", ("Vexor", "implements", "PROXY")),
        ("Vexor supports Python 3.9 and newer.", ("Vexor", "supports", "Python 3.9 and newer")),
        ("Vexor comes with Jinja.", ("Vexor", "comes_with", "Jinja")),
        ("Vexor is a front-end to Redis.", ("Vexor", "front_end_to", "Redis")),
        ("Vexor works as a front-end to Redis.", ("Vexor", "front_end_to", "Redis")),
        ("Vexor requires the Python plotting library Matplotlib.", ("Vexor", "requires", "Matplotlib")),
        ("Vexor is a monitor (VM) that runs on top of KVM.", ("Vexor", "runs_on", "KVM")),
        ("Vexor is a Virtual Machine Monitor that runs on top of KVM.", ("Vexor", "runs_on", "KVM")),
        ("Vexor is the controller that Verdant Loop has developed.", ("Vexor", "developed_by", "Verdant Loop")),
        ("Vexor is a version of Solaris sold by Acme Inc.", ("Acme Inc", "sells", "Vexor")),
        ("The teams join a department, Grid Software, headed by Ann Lee.", ("Grid Software", "headed_by", "Ann Lee")),
        ("The scheduler is replaced by Tendril, written by Ann Lee.", ("Tendril", "authored_by", "Ann Lee")),
        ("Vexor Day is the 10th album by American music singer Ann Lee.", ("Vexor Day", "created_by", "Ann Lee")),
        ("Ann Lee is an actress known for her role as Eve Moss.", ("Ann Lee", "portrays", "Eve Moss")),
        ("The C# bindings are the work of Ann Lee.", ("C# bindings", "created_by", "Ann Lee")),
        ("Vexor implements low-level SSH functionality.", ("Vexor", "implements", "SSH functionality")),
        ("Vexor is released under the MIT License.", ("Vexor", "licensed_under", "MIT License")),
        ("Nimbus runs on Redis.", ("Nimbus", "runs_on", "Redis")),
        ("Springfield is the home of Moss College.", ("Moss College", "located_in", "Springfield")),
        ("Springfield is the home of Moss–Fern College.", ("Moss–Fern College", "located_in", "Springfield")),
        ("Vexor uses Redis, thus it is easy to run.", ("Vexor", "uses", "Redis")),
        ("Declan Foy stands in for Ann Lee.", ("Declan Foy", "stands_in_for", "Ann Lee")),
        ("`Vexor`_ implements WSGI.", ("Vexor", "implements", "WSGI")),
        ("`Vexor <https://vexor.example>`_ implements WSGI.", ("Vexor", "implements", "WSGI")),
        ("The `imp2` module is deprecated in favor of `implib`.", ("imp2", "deprecated_in_favour_of", "implib")),
        ("HTTP basic authentication is provided by Vexor.", ("Vexor", "provides", "HTTP basic authentication")),
        ("The billing database runs on PostgreSQL 16.", ("billing database", "runs_on", "PostgreSQL 16")),
        ("The search service is owned by the Fern Team.", ("search service", "owned_by", "Fern Team")),
        (":class:`VexorPool` uses Redis.", ("VexorPool", "uses", "Redis")),
    ],
)
def test_a_plain_sentence_gives_its_fact(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Vexor does not come with Jinja.", {"Vexor", "Jinja"}),
        ("Vexor may come with Jinja.", {"Vexor", "Jinja"}),
        ("The Python package uses Redis.", {"Redis", "Python"}),
        ("Any Vexor project uses Redis.", {"Vexor", "Redis"}),
        ("Vexor was broadcast on ABC and later on NBC.", {"Vexor", "ABC and later"}),
        ("Vexor was released under the label Roadrunner.", {"Vexor", "Roadrunner"}),
        ("The Moss Team, Marines assigned to Fern Command, use Redis.", {"Moss Team", "Fern Command"}),
        ("Springfield is home of 300 Muslims.", {"Muslims", "Springfield"}),
        ("The error that Acme Inc wrote Redis is known.", {"Acme Inc", "Redis"}),
        ("Vexor is made by Acme Inc, written by Ann Lee.", {"Acme Inc", "Ann Lee"}),
        ("The Women's Christian Association was founded in 1844.", {"Christian Association", "1844"}),
        ("Vexor implements no SSH functionality.", {"Vexor", "SSH functionality"}),
        ("Vexor uses any HTTP server.", {"Vexor", "HTTP server"}),
        ("Vexor is in the favor of Redis.", {"Vexor", "Redis"}),
        ("Any HTTP authentication is provided by Vexor.", {"Vexor", "HTTP authentication"}),
        ("A billing database runs on Redis.", {"billing database", "Redis"}),
        ("The billing database should run on Redis.", {"billing database", "Redis"}),
        ("The standby database runs on Redis.", {"standby database", "Redis"}),
        ("The billing database in Oslo runs on Redis.", {"billing database", "Redis"}),
        ("Foxes runs on Redis.", {"Foxes", "Redis"}),
        ("If Vexor comes with Jinja, it is large.", {"Vexor", "Jinja"}),
        ("Does Vexor come with Jinja?", {"Vexor", "Jinja"}),
    ],
)
def test_what_is_not_said_relates_no_two_names(text: str, names: set[str]) -> None:
    found = [{one, other} for one, predicate, other in triples(text) if (one, predicate) != ("Python", "uses")]

    assert names not in found


def test_each_name_of_a_list_behind_a_noun_counts() -> None:
    assert triples("Vexor consists of two parts: Fern Search and Moss Index.") == [
        ("Vexor", "contains", "Fern Search"),
        ("Vexor", "contains", "Moss Index"),
    ]
    assert triples("The files /etc/a1, /etc/b2, and /etc/c3 are managed by Vexor.") != []
