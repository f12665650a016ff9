"""Documents that are read together: their sentences are parsed at once, and each is read as it is alone."""

from collections.abc import Sequence

from mcp_graphrag.english.parser import Parse, Token, TrainedParser
from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.model import Chunk, Document

TEXTS = (
    "Ann Lee founded Acme Labs in 2014. She leads the Platform Team.",
    "checkout-api depends on identity-gateway. It was replaced by Kong in March 2025.",
    "There is nothing here.",
    "Acme Labs is based in Oslo, Norway.\n\n| Service | Owner |\n|---|---|\n| checkout-api | Platform Team |\n",
)


class Counting(TrainedParser):
    """The parser of this package, with the number of times that it was asked."""

    asked = 0

    def parse(self, sentences: Sequence[Sequence[Token]]) -> list[Parse]:
        self.asked += 1
        return super().parse(sentences)


def test_documents_are_parsed_together_and_read_as_alone() -> None:
    parser = Counting()
    extractor = LiteExtractor(parser=parser)
    documents = [
        (Document(f"memory://{at}", f"Note {at}", text, "text/markdown"), [Chunk(0, 0, len(text), text)])
        for at, text in enumerate(TEXTS)
    ]

    together = extractor.extract_all(documents)

    assert parser.asked == 1
    assert together == [extractor.extract(document, chunks) for document, chunks in documents]
    assert sum(len(found.triples) for extractions in together for found in extractions) >= 4
