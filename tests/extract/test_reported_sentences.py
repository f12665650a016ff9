"""Sentences that people reported as read wrong: by invisible characters, line ends, words in -ing and links."""

import pytest

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.ingest import chunk_document, read_bytes


@pytest.mark.parametrize(
    ("text", "subject", "object_"),
    [
        ("The Cafe\u0301 Service depends on the Mail Service.", "Caf\xe9 Service", "Mail Service"),
        ("The Billing\u200b Gateway depends on the Ledger\u200b Gateway.", "Billing Gateway", "Ledger Gateway"),
        ("The Auth Engine depends on the User\u202fStore.", "Auth Engine", "User Store"),
        ("The \u200eInvoice\u200f Portal depends on the Audit Portal.", "Invoice Portal", "Audit Portal"),
        ("The \uff26\uff55\uff4c\uff4c Gateway depends on the \uff37ide Gateway.", "Full Gateway", "Wide Gateway"),
        ("The Checkout Portal depends on the Ledger\nService. It was moved.", "Checkout Portal", "Ledger Service"),
        ("- The Gift Service depends on the Card\n  Service.", "Gift Service", "Card Service"),
        ("The Basket\nService depends on the Mail Service, and it was moved.", "Basket Service", "Mail Service"),
        ("The Parcel Portal depends on the Stamp\r\nService. It was moved.\r", "Parcel Portal", "Stamp Service"),
        ("Billing Engine depends on Ledger Engine.", "Billing Engine", "Ledger Engine"),
        ("Routing Gateway depends on Redis Cluster.", "Routing Gateway", "Redis Cluster"),
        ("Shipping Service depends on Label Service.", "Shipping Service", "Label Service"),
        ("**Billing Engine** depends on Ledger Engine.", "Billing Engine", "Ledger Engine"),
        ("[Push Service](push.md) depends on the [Token Service](token.md).", "Push Service", "Token Service"),
    ],
)
def test_a_sentence_is_read_as_it_is_seen(text: str, subject: str, object_: str) -> None:
    document = read_bytes(f"{text}\n".encode(), uri="file:///a.md", name="a.md")
    (found,) = LiteExtractor().extract(document, chunk_document(document))
    assert [(one.subject, one.predicate, one.object) for one in found.triples] == [(subject, "depends_on", object_)]
