from cli_runs import Cli


def test_the_receipt_names_the_encoding_and_what_is_in_doubt(cli: Cli) -> None:
    files: dict[str, bytes] = {
        "gbk.txt": "计费服务依赖于账本服务。张伟负责计费服务。".encode("gbk"),
        "wide.txt": "Служба счетов зависит от службы учёта.".encode("utf-16-le"),
        "doubt.txt": "São Paulo".encode("cp1252"),
        "zeros.txt": b"ab\0cd",
    }
    (cli.folder / "docs").mkdir()
    for name, content in files.items():
        (cli.folder / "docs" / name).write_bytes(content)
    told = cli("ingest", "docs").out
    assert "gbk.txt is no UTF-8, and is read as gb18030 (99.9% likely by its letters)." in told
    assert "wide.txt is no UTF-8, and is read as utf_16_le (99.9% likely by its letters)." in told
    assert "and whether it is cp1252 is in doubt" in told
    assert "binary" in told
