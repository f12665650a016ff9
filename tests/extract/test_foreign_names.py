"""Names in other languages than English: by script and capitals alone, and no reader of English says more of them."""

import pytest
from extract_helpers import extract, names, stated, triples

from mcp_graphrag.extract.document_extractor import DocumentExtractor
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.readers import read_text

NOTES = {
    # Nouns have capitals, and so has every sentence.
    "Die Sicherung der Datenbank läuft im Rechenzentrum in Frankfurt. Den Ablauf hat Anna Schmidt beschrieben, die auch"
    " GitLab betreut. Der API-Schlüssel und die PDF-Datei sind in der Ablage, WICHTIG ist der Ordner.": (
        "Frankfurt, Anna Schmidt, GitLab"
    ),
    "Le service de paiement tourne à Lyon et dépend de la base PostgreSQL. L'équipe de Marie Dupont a migré les données"
    " vers Numergia, car la Caisse de Bretagne ne répondait plus. Hier, le module Ledger a échoué.": (
        "Lyon, PostgreSQL, Marie Dupont, Numergia, Bretagne, Ledger"
    ),
    "¿Quién mantiene el servicio? El equipo de Lucía Fernández lo hace con Telefónica desde un centro de Sevilla."
    " Mañana se revisa otra vez.": "Lucía Fernández, Telefónica, Sevilla",
    "Сервер стоит в Казани и зависит от базы PostgreSQL. Резервные копии хранит команда Марии Орловой.": (
        "Казани, PostgreSQL, Марии Орловой"
    ),
    "決済サービス「ペイゲート」は東京で動く。データベースはPostgreSQLを使い、ファイルは Amazon S3 に保存する。"
    "担当は田中氏。詳しくは『運用の手引き』を参照。": "ペイゲート, PostgreSQL, Amazon S3, 田中, 運用の手引き",
    "支付服务运行在上海，使用 PostgreSQL 数据库。详情请参考《运维手册》，负责人不在。": "PostgreSQL, 运维手册",
}


@pytest.mark.parametrize("text", NOTES)
def test_names_are_those_that_script_and_capitals_show(text: str) -> None:
    assert ", ".join(names(text)) == NOTES[text]
    assert triples(text) == []


def test_identifiers_are_names_in_every_language() -> None:
    text = (
        "Der Dienst `billing-api` liest die Datei etc/billing.yaml und ruft dann parse_config() auf, wenn es nötig ist."
    )

    assert names(text) == ["billing-api", "etc/billing.yaml", "parse_config()"]
    assert names("設定はetc/billing.yamlにあり、関数parse_config()が読む。") == ["etc/billing.yaml", "parse_config()"]


def test_labels_and_sentences_in_english_words_say_nothing_in_another_language() -> None:
    note = "Das ist die Notiz zu dem Dienst, der auf dem Rechner nicht läuft.\n\nOwner: Anna Schmidt\n"

    assert stated(f"# Ledger Service\n\n{note}") == []
    assert stated("# Ledger Service\n\nOwner: Anna Schmidt\n") == [("Ledger Service", "owned_by", "Anna Schmidt")]


def test_a_table_says_the_same_in_every_language() -> None:
    table = "| Service | Owner |\n|---|---|\n| Ledger | Anna Schmidt |\n| Payout | Max Weber |\n"
    german = "Das ist die Liste der Dienste, die auf dem Rechner laufen und nicht gelöscht werden.\n\n"

    assert triples(german + table) == triples(table) != []


@pytest.mark.parametrize(
    "text",
    [
        "Sicherung\n\nDie Sicherung läuft, wenn die Sicherung nicht schon gelaufen ist.",
        "Notes de version\n\nLa liste des Notes de version est dans ce dossier, mais elle ne dit pas tout.",
    ],
)
def test_a_title_in_another_language_is_no_entity(text: str) -> None:
    document = read_text(text, uri="memory://a", title=text.partition("\n")[0], media_type="text/markdown")

    assert DocumentExtractor().extract(document, chunk_document(document))[0].mentions == ()


def test_a_typed_name_keeps_its_type() -> None:
    found = extract("Der Server steht in Frankfurt und wird von Anna Schmidt betreut, die nicht mehr da ist.").mentions

    assert [(one.name, one.type) for one in found] == [("Frankfurt", "Location"), ("Anna Schmidt", "Person")]
