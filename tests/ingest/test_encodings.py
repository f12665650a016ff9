"""Texts that are not UTF-8 and declare no encoding: read where it is sure, else named; never with wrong letters."""

import pytest

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest import read_bytes
from mcp_graphrag.ingest.encodings import detect

CHINESE = "计费服务依赖于账本服务。张伟负责计费服务。公司总部位于上海，员工人数超过三百人。"
JAPANESE = "東京支店の担当者は田中花子です。請求サービスは台帳サービスに依存します。"
GERMAN = "Der Rechnungsdienst hängt vom Lager ab. Für Rückfragen ist Herr Müller zuständig; die Größe fehlt.\n"
FRENCH = "Le service de paiement dépend du grand livre. Hélène Dupré, nommée à Genève, en est responsable.\n"
POLISH = "Usługa płatności zależy od księgi. Łukasz Wójcik mieszka w Łodzi i odpowiada za wszystkie zamówienia.\n"
CZECH = "Služba plateb závisí na účetní knize. Jiří Dvořák řídí příští oddělení v Českých Budějovicích.\n"
RUSSIAN = "Служба счетов зависит от службы учёта. Иван Петров отвечает за платежи и живёт в Москве.\n"
UKRAINIAN = "Служба рахунків залежить від служби обліку. Іван Петренко відповідає за платежі в Києві.\n"
KOREAN = "결제 서비스는 계정 서비스에 의존한다. 김민수는 서울에 있는 회사의 결제를 책임진다."
TAIWAN = "計費服務依賴於帳本服務。張偉負責計費服務，公司總部位於上海，員工人數超過三百人。"
ENGLISH = "The depot’s “north gate” — the one by the café — was closed on Tuesday.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gbk"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
        (TAIWAN, "big5"),
        *[(text, "cp1252") for text in (GERMAN, FRENCH, ENGLISH, "menu;price\r\ncaf\xe9;2\r\n")],
        *[(text, encoding) for text in (POLISH, CZECH) for encoding in ("iso8859_2", "cp1250")],
        *[(RUSSIAN, encoding) for encoding in ("cp1251", "koi8_r", "iso8859_5", "cp866")],
        *[(UKRAINIAN, encoding) for encoding in ("cp1251", "koi8_u")],
        *[(text, encoding) for text in (ENGLISH, RUSSIAN, f"{CHINESE}\n") for encoding in ("utf_16_le", "utf_16_be")],
        (GERMAN, "cp850"),
        (FRENCH, "mac_roman"),
    ],
)
def test_a_text_in_another_encoding_is_read_and_the_receipt_says_how(text: str, encoding: str) -> None:
    read = read_bytes(text.encode(encoding), uri="a:b", name="a.txt")
    assert read.text == text.replace("\r\n", "\n")
    assert read.note.startswith("is no UTF-8, and is read as ")
    assert read.note.endswith("% likely by its letters).")


def test_what_has_no_letters_beyond_ascii_is_read_from_utf16_too() -> None:
    text = "The Billing Service depends on the Ledger Service."
    assert read_bytes(text.encode("utf-16-le"), uri="a:b", name="a.txt").text == text


@pytest.mark.parametrize(
    ("content", "likely"),
    [
        ("Service;Owner\r\nCafé Service;Hélène Dupré\r\nPaiement Service;José Núñez\r\n".encode("cp1252"), "cp1252"),
        ("São Paulo".encode("cp1252"), "cp1252"),
        ("東京".encode("shift_jis"), "cp932"),
        (f"{CHINESE}é".encode()[:-1], ""),
        (GERMAN.encode() + b"\xe9", ""),
        (bytes(range(128, 256)) * 9, ""),
    ],
)
def test_what_is_in_doubt_is_named_and_not_read(content: bytes, likely: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_bytes(content, uri="a:b", name="a.csv")
    assert refused.value.reason.startswith("is not UTF-8 text: byte ")
    doubt = f" is invalid, and whether it is {likely} is in doubt" if likely else " is invalid"
    assert refused.value.reason.endswith(doubt)
    assert refused.value.hint == "Save it as CSV UTF-8 and ingest it again."


@pytest.mark.parametrize("line", [".. -*- coding: latin-1 -*-", "% A manual  -*- mode: tex; coding: latin-1; -*-"])
def test_a_declared_encoding_is_not_doubted(line: str) -> None:
    read = read_bytes(f"{line}\nSão Paulo\n".encode("latin-1"), uri="a:b", name="a.txt")
    assert (read.text, read.note) == (f"{line}\nSão Paulo\n", "")


def test_the_end_of_a_long_text_counts_and_takes_no_longer() -> None:
    content = b"plain ascii\n" * 300_000 + GERMAN.encode("cp1252")
    assert detect(content) == ("cp1252", pytest.approx(1.0, abs=0.01))
