"""The language of a text, short or long, with names, code and words of others in it."""

import pytest

from mcp_graphrag.model import Document
from mcp_graphrag.written_languages.language_of import language_of, language_of_document

NOTES = {
    "de": "Der Speicher ist voll, weil die alten Protokolle nicht gelöscht wurden. Erst aufräumen, dann neu starten.",
    "fr": "Le serveur ne répond plus depuis ce matin : le disque est plein et les journaux ne sont pas effacés.",
    "es": "El disco está lleno porque los registros antiguos no se borran; hay que limpiarlo antes de empezar.",
    "pt": "O disco está cheio porque os registos antigos não são apagados; é preciso limpar antes de começar de novo.",
    "it": "Il disco è pieno perché i vecchi registri non vengono cancellati; bisogna pulire prima di ripartire.",
    "nl": "De schijf is vol omdat de oude logboeken niet worden verwijderd; eerst opruimen en dan opnieuw starten.",
    "sv": "Disken är full eftersom de gamla loggarna inte tas bort; städa först och starta sedan om.",
    "da": "Disken er fuld, fordi de gamle logfiler ikke bliver slettet; ryd op først, og start igen efter det.",
    "pl": "Dysk jest pełny, ponieważ stare dzienniki nie są usuwane; należy najpierw posprzątać, a potem uruchomić.",
    "cs": "Disk je plný, protože se staré záznamy nemažou; nejdříve je třeba uklidit a pak znovu spustit.",
    "ru": "Диск переполнен, потому что старые журналы не удаляются; сначала нужно их очистить, а потом запустить.",
    "uk": "Диск переповнений, бо старі журнали не видаляються; спочатку їх треба очистити, а потім запустити.",
    "el": "Ο δίσκος είναι γεμάτος επειδή τα παλιά αρχεία δεν διαγράφονται.",
    "tr": "Disk dolu çünkü eski kayıtlar silinmiyor; önce temizlemek ve sonra yeniden başlatmak gerekiyor.",
    "ja": "古いログが消されないので、ディスクがいっぱいです。まず掃除してから nginx を再起動してください。",
    "zh": "旧日志没有删除，所以磁盘已满。请先清理，然后重新启动 nginx。",
    "ko": "오래된 로그가 삭제되지 않아 디스크가 가득 찼습니다.",
    "ar": "القرص ممتلئ لأن السجلات القديمة لم تحذف، ويجب تنظيفه قبل إعادة التشغيل من جديد.",
}
ENGLISH = [
    "The disk is full because the old logs are not removed.",
    "Vera von der Leyen owns Orion.",
    "Peter schießt den Ball ab is a 1962 Austrian film directed by Paul Löwy.",
    "Łukasz Żak leads Café Zoë in São Paulo.",
    "Billing API\nLedger DB",
    "He asked “¿Dónde está el disco?” and was told that it is behind the door, as it has always been.",
    "The command prints 磁盘已满 where the language of the user is Chinese, and nothing else in that case.",
    "",
]


def test_a_note_of_a_sentence_tells_its_language() -> None:
    assert {code: language_of(note) for code, note in NOTES.items()} == {code: code for code in NOTES}


@pytest.mark.parametrize("text", ENGLISH)
def test_names_and_quotations_of_other_languages_leave_a_text_english(text: str) -> None:
    assert language_of(text) == "en"


def test_code_in_a_text_says_nothing_of_its_language() -> None:
    code = "for each in the_list:\n    if it is not None and it.has(that):\n        do(it)\n" * 20

    assert language_of(f"{NOTES['de']}\n\n```python\n{code}```\n") == "de"
    assert language_of_document(Document("memory://a", "a", f"# {NOTES['de']}\n{code}", "text/x-python")) == "en"


def test_a_script_of_no_listed_language_is_unknown() -> None:
    assert language_of("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᎴ ᎣᏍᏓ ᏑᎾᎴᎢ") == ""


def test_one_word_many_times_tells_no_language() -> None:
    assert language_of("We met Ann. " + " ".join(f"Then we met Person{number}." for number in range(40))) == "en"
    assert language_of("- Faster https://acme.com/le/la/les/des/une\n" * 9) == "en"
