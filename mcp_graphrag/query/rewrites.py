"""What to write instead of what is often written: constructs of other languages, and functions that are not there."""

import re
from collections.abc import Mapping

_DATES = "Dates are ISO strings and compare as such, as in r.valid_from >= '2024-01-31'; left(r.valid_from, 4) is the year."
_CALL = "There is no CALL: write EXISTS { } or COUNT { } for a query inside, UNWIND search('…') for a search."
WRITE = "To store, use add_triples and add_entities."
# By what is found in the text of a query.
_INSTEAD: Mapping[str, str] = {
    r"^\s*(EXPLAIN|PROFILE)\b": "Leave EXPLAIN out, and give explain: true.",
    r"^\s*SELECT\b|^\s*g\.V\b|\bFROM\s+\w+\s+(WHERE|JOIN|GROUP|ORDER)\b|^\s*\{":
        "Begin with MATCH, as in MATCH (a:Service)-[:depends_on]->(b) RETURN a.name, b.name.",
    r"\bapoc\.path|\bapoc\.neighbors|\bsubgraph\w+\(": "For what is near write MATCH (a)-[*1..2]-(b) RETURN DISTINCT b.name.",
    r"\b(db|apoc\.meta)\.\w*(label|schema|nodeType)": "For the labels write MATCH (n) RETURN labels(n)[0], count(*).",
    r"\bdb\.relationshipTypes": "For the types write MATCH ()-[r]->() RETURN type(r), count(*).",
    r"\bCALL\b": _CALL,
    r"\bI?LIKE\b": "For LIKE write CONTAINS, STARTS WITH, ENDS WITH or =~, and toLower(a.name) for any case.",
    r"\bGROUP\s+BY\b": "Leave GROUP BY out: what is no aggregate is grouped by.",
    r"\bHAVING\b": "For HAVING write WITH a, count(*) AS n WHERE n > 2 RETURN a.name, n.",
    r"\bOVER\s*\(|\bQUALIFY\b": "There are no windows: write ORDER BY and LIMIT, or collect() behind WITH … ORDER BY.",
    r"\bOFFSET\b|\bLIMIT\s+\d+\s*,|\bTOP\s+\d|\bFETCH\s+FIRST": "Write SKIP 2 LIMIT 3.",
    r"\bLIMIT\s+\d+\s+ORDER\b": "Write ORDER BY before SKIP and LIMIT.",
    r"size\s*\(\s*\(": "Write COUNT { (a)-[:calls]->() }.",
    r"\bIN\s*\(\s*[\d'\"$]": "Write a list in brackets: a.name IN ['P1', 'P2'].",
    r"\sBETWEEN\s": "Write n.port >= 1 AND n.port <= 9.",
    r"==": "Write = for equal.",
    r"&&|\|\|": "Write AND, OR, and a + b to join texts.",
    r"[^=]!\s*[\w(]": "Write NOT n:Person, NOT a = b.",
    r"\bCOLLECT\s*\{": "Write [(a)-[:calls]->(b) | b.name].",
    r"\bSHORTEST\b|\bANY\s+\d|\bshortestPath\s*\(\s*\w+\s*,": "Write MATCH p = shortestPath((a)-[*..8]->(b)).",
    r"\)\s*[{+]|\]->?\s*[{+*]": "Write -[:calls*1..3]-> for several hops.",
    r"\)\s*->\s*\(|\)\s*-\s*\(|\w\s*-\s*\w+\s*->": "Write (a)-->(b), or (a)-[:calls]->(b).",
    r"\(\w*:\w+\s*[|&!]|\(\w*:!": "For several labels write WHERE n:A OR n:B, WHERE NOT n:A.",
    r"\bIS\s+(LABELED\s+)?:|\bHAS\s+LABEL\b|\bINSTANCE\s*OF\b": "Write n:Person.",
    r"\bIS NOT\b(?!\s+(NULL|:))|\bNOT IN\b": "Write <>, NOT a IN list, or a IS NOT NULL.",
    r"\b(FILTER|LET)\s+\w": "Write WITH a, a.port AS p WHERE p > 1.",
    r"\b(WITH|RETURN)\s+\*\s*,": "Name what goes on: WITH a, b, a.name AS name.",
    r"\bAS\s+['\"]": "Write AS name, or AS `name`, without quotes.",
    r"\b(VALID|SYSTEM_TIME|AS OF|AT)\s+(TIMESTAMP|AS OF|DATE|')": "Give as_of, the moment, beside the query.",
    r"\(\?<?[=!]": "Regular expressions are RE2, without lookaround, and match the whole text: =~ '.*part.*'.",
    r"(?i)\bduration\b|\bdatediff\s*\(|\bage\s*\(":
        "Dates have no arithmetic: compare with a day that is written out; days between two are not computed.",
    r"\b(date|datetime|localdatetime|timestamp|time|now|year|month|day|extract|date_part|current_date)\s*\("
    r"|\b(date|datetime)\.\w+|\b(DATE|TIMESTAMP)\s+'|\.(year|month|day)\b": _DATES,
    r"\b(start|end)Node\s*\(": "Name the node in the pattern.",
    r"\bisEmpty\s*\(": "Write size(list) = 0.",
    r"\belementId\s*\(": "Use id().",
    r"\b(exists|has|isDefined)\s*\(\s*\w+\.": "Write n.port IS NOT NULL, or EXISTS { (n)-[:calls]->() }.",
    r"\breduce\s*\(": "Write UNWIND list AS x WITH sum(x) AS total, any() or all() of a list, or [n IN nodes(p) | n.name].",
    r"\bfilter\s*\(": "Write [x IN list WHERE x > 1].",
    r"\bextract\s*\(": "Write [x IN list | x * 2].",
    r"\b(percentile\w*|median|quantile\w*)\s*\(":
        "Write WITH x ORDER BY x WITH collect(x) AS l RETURN (l[(size(l) - 1) / 2] + l[size(l) / 2]) / 2.0 for the median.",
    r"\b(string_agg|group_concat|listagg|array_agg|join|apoc\.text\.join|apoc\.coll\.\w+)\s*\(":
        "Use collect(a.name), which is a list.",
    r"\b(n?vl|ifnull|nullif)\s*\(": "Use coalesce(a, b), or CASE.",
    r"\b(lcase|lower|ucase|upper|initcap)\s*\(": "Use toLower() and toUpper().",
    r"\b(cast|convert|int|float|str|number|to_number)\s*\(|::\s*\w": "Use toInteger(), toFloat() or toString().",
    r"\b(len|char_length|array_length|cardinality)\s*\(": "Use size() of a list or text, length() of a path.",
    r"\b(degree|outDegree|inDegree|apoc\.node\.degree)\b": "Write COUNT { (a)--() }.",
    r"\b(concat|format)\s*\(": "Join texts by +: a.name + ' ' + b.name.",
    r"\b(substr|mid)\s*\(": "Use substring(text, start, length), from 0.",
}  # fmt: skip


def rewrites_of(text: str) -> list[str]:
    """What to write instead of what a query has, or of the call of a function, each once."""
    return [*dict.fromkeys(said for found, said in _INSTEAD.items() if re.search(found, text, re.IGNORECASE))]
