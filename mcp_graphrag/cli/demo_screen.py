"""The first screen of the demo: what was read, what the graph knows, three answers with their sources."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 100
MAX_LINES = 24
MAX_NAMES = 6


def demo_screen(answers: Mapping[str, Any]) -> list[str]:
    """At most 24 lines of at most 100 characters from the structured answers, by tool."""
    read, graph = answers["ingest"], answers["describe_graph"]
    lines = [
        f"Read: {graph['documents']} documents of a fictional company, {graph['chunks']} chunks; no key, no network.",
        f"Known: {read['entities']} entities, {read['triples']} triples.",
        f"  best known: {', '.join(list(graph['best_known'])[:MAX_NAMES])}",
        f"  predicates: {', '.join(list(graph['predicates'])[:MAX_NAMES])}",
        "",
        *_answer("What breaks if the User Database goes down?", *_impact(answers["trace_impact"])),
        *_answer("Who may approve purchases over $50K for the infrastructure team?", *_plan(answers["plan_question"])),
        *_answer("Does the Billing Service depend on the User Database?", *_claim(answers["check_claim"])),
    ]
    return [line for each in lines for line in _wrapped(each)][:MAX_LINES]


def _answer(question: str, answer: str, sources: Sequence[Mapping[str, Any]]) -> list[str]:
    quoted = [f'  "{" ".join(each["quote"].split())}" ({_document(each["source"])})' for each in sources if _said(each)]
    return [f"? {question}", f"= {answer}", *quoted[:1]]


def _impact(found: Mapping[str, Any]) -> tuple[str, Sequence[Mapping[str, Any]]]:
    names = ", ".join(each["entity"] for each in found["affected"][:MAX_NAMES])
    return f"{found['total']} things: {names}", found.get("evidence", [])


def _plan(found: Mapping[str, Any]) -> tuple[str, Sequence[Mapping[str, Any]]]:
    return ", ".join(found.get("answer", [])) or "no answer", found.get("evidence", [])


def _claim(found: Mapping[str, Any]) -> tuple[str, Sequence[Mapping[str, Any]]]:
    return f"{found['verdict']}: no document says it, it follows from what they say", found.get("evidence", [])


def _said(evidence: Mapping[str, Any]) -> bool:
    return bool(evidence.get("quote"))


def _document(citation: str) -> str:
    return citation.partition("#")[0].rpartition("/")[2]


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", max_lines=2, placeholder=" …") or [""]
