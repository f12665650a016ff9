"""Values stated in the lines of a text, "Freezer 3 | temperature | -20 °C", and what is stored of them."""

import re
from collections.abc import Iterator, Sequence

from edit_helpers import TEST

from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import NOW, CandidateValue, Chunk, Document, Extraction, Mention, When
from mcp_graphrag.store.rows.value_rows import ValuePattern, match_values

LINE = re.compile(r"^(?P<subject>[^|\n]+) \| (?P<predicate>[^|\n]+) \| (?P<value>[^\n]+)$", re.MULTILINE)


class OfLines:
    """An extractor that reads such lines."""

    name = "lite"
    version = "lines"

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        """The values of each chunk, with their subjects as mentions."""
        return [[_extraction(chunk.text) for chunk in chunks] for _, chunks in documents]


def _extraction(text: str) -> Extraction:
    lines = list(LINE.finditer(text))
    mentions = {each["subject"]: Mention(each["subject"], None, *each.span("subject")) for each in lines}
    values = [
        CandidateValue(each["subject"], (said := each["predicate"]), each["value"], *each.span("value"), surface=said)
        for each in lines
    ]
    return Extraction(mentions=list(mentions.values()), values=values)


def state(graph: Graph, uri: str, *lines: str) -> IngestReport:
    """Ingest a text of such lines."""
    report = IngestReport()
    ingest(graph, [Document(uri, uri, "\n".join(lines))], [OfLines()], TEST, report=report)
    assert not report.warnings
    return report


def stated(graph: Graph, when: When = NOW) -> list[str]:
    """The values in force, written as in the lines."""
    return list(_stated(graph, when))


def _stated(graph: Graph, when: When) -> Iterator[str]:
    with graph.reading(when) as snapshot:
        for each in match_values(snapshot.tx, ValuePattern(), after=0, limit=1000):
            yield f"{each.subject} | {each.predicate} | {each.object}"
