"""Phrases that put a sentence in another world or a time to come: "in season two", "on paper", "by 2030", "in staging".

Names are given as X. The words here are those of such phrases in general; what verbs say is decided by grammar.
"""

import re

from mcp_graphrag.english.word_lists import WORDS

# Nouns of what is made up, possible, planned or said by others, and of the parts of a plan.
_WORLDS = (
    r"novels?|novellas?|films?|movies?|musicals?|plays?|operas?|ballets?|stor(?:y|ies)|books?|comics?|manga|anime|games?"
    r"|series|seasons?|episodes?|shows?|sitcoms?|dramas?|sagas?|legends?|myths?|dreams?|nightmares?|daydreams?"
    r"|visions?|fantas(?:y|ies)|fiction|tales?|sequels?|prequels?|trailers?|chapters?|scenes?|parod(?:y|ies)"
    r"|sketch(?:es)?|timelines?|universes?|canon|worlds?|rumou?rs?|imagination|scenarios?|simulations?|models?|drafts?"
    r"|mock-?ups?|prototypes?|proposals?|plans?|roadmaps?|designs?|architectures?|cases?|examples?|future|history"
    r"|hypothes[ei]s|blueprints?|target state|end state|headlines?|adverts?|advertisements?|poems?|songs?|ballads?"
    r"|pictures?|wish\s?lists?|brochures?|leaflets?|lyrics|scripts?|screenplays?|cartoons?|fables?|jokes?|memes?|quiz(?:zes)?|exercises?"
)
_STORIES = (
    r"(?:novel|novella|film|movie|musical|play|opera|ballet|story|book|comic|manga|anime|game|sitcom|drama|saga|legend|myth"
    r"|dream|fantasy|tale|sequel|prequel|parody|cartoon|fable|series|poem|show)s?"
)
_PARTS = r"phases?|versions?|releases?|milestones?|sprints?|iterations?|stages?|steps?|waves?"
_TRIALS = (
    r"staging|tests?|testing|sandbox(?:es)?|qa|uat|demos?|labs?|benchmarks?|experiments?|pilots?|trials?|previews?"
    r"|simulations?|theory|principle|paper|rehearsals?|drills?|pre-?prod(?:uction)?|canary|disaster[ -]recovery"
    r"|training\s+(?:networks?|systems?|environments?|servers?|instances?)|dev(?:elopment)?(?=\W*\Z)"
)
_MODIFIERS = (
    r"(?:(?:the|an?|this|that|our|my|his|her|its|their|one|some|another|any|every)\s+)?"
    r"(?:\d{4}\s+)?(?:(?!(?:of|and|or|by|to|that|which|who|with|from|on|in|at|for)\b)[a-z][\w'’-]*\s+|X+(?:['’]s?)?\s+){0,3}?"
)
_LEAD = r"\W*(?:(?:but|and|so|however|meanwhile|then|at\s+least),?\s+)?"
_OPENING = re.compile(
    rf"{_LEAD}(?:(?:in|inside|within|on|under)\s+{_MODIFIERS}(?:{_WORLDS}|{_PARTS}|{_TRIALS}|dev(?:elopment)?(?=\s*,))"
    r"|for\s+(?:the\s+)?(?:purposes?|sake)\s+of\s"
    rf"|for\s+{_MODIFIERS}(?:tests?|testing|staging|sandbox(?:es)?|demos?|benchmarks?|previews?|debugging|development)(?=\s*,)"
    rf"|(?:for|from|with|during|as\s+of|starting\s+(?:in|with)|by)\s+{_MODIFIERS}(?:{_PARTS})\s+(?:\d|X|one|two|three|four))\b"
    r"(?!\s+(?:industry|business|trade|market|scene|studio|stud(?:y|ies)|school|company|division|department|team)\b)",
    re.IGNORECASE,
)
_IN_STORY = re.compile(
    rf"{_LEAD}in\s+(?:the|her|his|their|this|that|its)\s+(?:\w+\s+){{0,2}}?{_STORIES},", re.IGNORECASE
)
# "It tells the story of Ann Lee", behind which the names of those that the story is about stand.
_TELLS = re.compile(
    r"\b(?:tell(?:s|ing)?|told|recounts?|narrates?|chronicles?|relates?)\s+(?:of\s+|about\s+)?(?:the\s+|an?\s+)?"
    r"(?!true\b|real\b)(?:\w+\s+){0,2}?(?:story|stories|tale|adventures?|exploits)\s+(?:of|about)\s"
    r"|\b(?:the\s+)?(?:protagonist|hero(?:ine)?|main\s+character|title\s+character|narrator)s?\s+(?:is|are|was)\s",
    re.IGNORECASE,
)
# A season of a league and the stages of a life are real.
_REAL = re.compile(
    r"\W*\w+\s+(?:(?:the|his|her|its|their)\s+)?(?:X+\s+)?(?:X+|[\d–/-]+)\s+(?:season|games|series)\b"
    r"|\W*\w+\s+(?:the\s+)?(?:early|late[r]?|final|last|whole|real|modern|ancient|western|art|recorded)\s"
    r"|\W*in\s+most\s+cases\b",
    re.IGNORECASE,
)
# "When idle, …", "Where configured, …": what holds then only.
_CONDITION = re.compile(
    rf"{_LEAD}(?:when(?:ever)?|where(?:ver)?|while|if|unless)\s+(?:not\s+)?(?!X)\w+(?:\s+(?:in|on|by|to|for|with|as)\s+[^,;]{{1,30}})?\s*,",
    re.IGNORECASE,
)
# "Changed in version 3.4: In earlier versions …"
_LABEL = re.compile(r"\W*\w[^:;,\n]{1,40}:\s")
# "Ensure that …", "Let …": what is to be so.
_REQUEST = re.compile(
    r"\W*(?:please\s+|always\s+)?(?:(?:ensure|make\s+(?:sure|certain)|verify|(?:double-)?check|confirm|assert|validate"
    r"|see\s+to\s+it|guarantee|remember|pretend)\s+(?:that\s+|the\s|an?\s|X)|let(?:['’]?s)?\s+)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf",\s+(?:at\s+least\s+|but\s+only\s+|albeit\s+|if\s+only\s+)?(?:in|on|under)\s+{_MODIFIERS}"
    rf"(?:{_WORLDS}|{_PARTS}|{_TRIALS})(?:\s+(?:\d+|X+|one|two|three|four))?\W*\Z"
    rf"|\s(?:in|on|under)\s+(?:the\s+|an?\s+|our\s+)?(?:[a-z-]+\s+)?(?:{_TRIALS})"
    r"(?:\s+(?:environment|mode|cluster|only))?\W*(?:\Z|\s+(?:but|while|only|first)\b)",
    re.IGNORECASE,
)
_IN_EXAMPLE = re.compile(r"[,(]\s+(?:for\s+(?:example|instance)|say)\s*,", re.IGNORECASE)
_SOURCE = re.compile(
    r"\b(?:according\s+to|in\s+the\s+(?:words|opinion|view|eyes)\s+of|(?:rumou?r|legend|word|tradition)\s+has\s+it"
    r"|(?:\A|,)\W*in\s+(?:my|our|his|her|their|(?:[\w-]+\s+){0,3}?[\w-]+['’]s?)\s+(?:own\s+)?(?:words|opinion|view|eyes|mind|account)"
    r"|as\s+(?:the\s+)?(?:story|legend|rumou?r|tale|saying)\s+(?:goes|has\s+it)|or\s+so\s+(?!that\b)\w+"
    r"|,\s+or\s+that\s+is|\A\W*per\s+(?:an?|the|some|one|our|his|her|X+)|,\s+per\s+(?:an?|the|some|our|his|her|X+))\b"
    r"(?!\s+(?:the\s+)?(?:[\w-]+\s+){0,4}(?:census|constitution|statutes?|charter|by-?laws|register|records?)\b)",
    re.IGNORECASE,
)
_MONTH = "|".join((*WORDS.months, *WORDS.short_months))
_POINT = (
    r"(?:(?:early|late|mid|the\s+(?:end|start|beginning|middle|close|turn)\s+of|the\s+(?:first|second)\s+half\s+of)[\s-]+)?"
    rf"(?:(?:(?:q[1-4]|h[12]|fy)[\s/-]*)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:(?:{_MONTH}),?\s+)?(?:\d{{1,2}},?\s+)?(?:20|21)\d\d"
    r"|(?:the\s+)?(?:next|this|coming|following)\s+\w+|then|tomorrow|q[1-4]|h[12]|the\s+(?:year|quarter|month|week))"
)
# "From January", "as of Monday": a day to come, as no year is given.
_FROM_DAY = (
    r"(?:from|as\s+(?:of|from)|(?:starting|beginning|effective|with\s+effect)(?:\s+(?:from|in|on|as\s+of))?)\s+"
    rf"(?:(?:early|mid|late|the\s+(?:end|start|beginning|middle)\s+of)[\s-]+)?(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"(?:(?:{_MONTH})|{'|'.join(sorted(WORDS.weekdays))}|next\s+\w+|new\s+year)\b(?!\s+\d{{1,2}},?\s+\d{{4}}|,?\s+\d{{4}}|\s+to\b)"
)
_DONE = (
    r"(?:(?:is|are|gets?|has\s+been|have\s+been|goes)\s+(?:\w+ly\s+)?(?:\w+(?:ed|t|d)|over|ready|live|gone|in\s+place"
    r"|through|up)"
    r"|(?:retir|leav|resign|quit|di|clos|end|finish|complet|land|ship|launch|expir|merg|mov|split|graduat|open|arriv"
    r"|depart|ceas|start|begin|join)e?s"
    r"|(?:steps|stands)\s+down|takes\s+over|goes|wins|passes|succeeds)"
)
_AHEAD = re.compile(
    rf"{_LEAD}(?:(?:by|come|no\s+later\s+than|before)\s+{_POINT}\b"
    r"|(?:as\s+soon\s+as|once|by\s+the\s+time|from\s+the\s+moment|the\s+(?:day|moment|minute))\s"
    r"|(?:within|in)\s+(?:the\s+next\s+)?(?:\d+|X|an?|one|two|three|four|five|six|ten|twelve|a\s+(?:few|couple\s+of))\s+"
    r"(?:year|month|week|day|quarter|decade)s?(?:['’]?\s+time)?\b"
    rf"|{_FROM_DAY}"
    rf"|(?:when(?:ever)?|after|until|till|before)\s+(?!(?:an?|any|each|every|users?|clients?)\s)[^,;]{{1,70}}?\b{_DONE}\b[^,;]{{0,50}},"
    r"|(?:pending|subject\s+to|contingent\s+on|in\s+case\s+of|in\s+the\s+event\s+of|failing|barring|absent|without"
    r"|from\s+now|going\s+forward|eventually|ultimately|one\s+day|some\s?day|soon|shortly|tomorrow)\b)",
    re.IGNORECASE,
)
# "Ann leaves at the end of the year and is succeeded by Bob", "A starts using B in January"
_SOMEWHERE_AHEAD = re.compile(
    r"\s(?:at|by|before|towards?)\s+the\s+(?:end|close|turn|start|beginning)\s+of\s+(?:the|this|next)\s+(?:year|month|week|quarter"
    r"|summer|season)\b"
    rf"|\b(?:starts?|begins?|moves?|switch(?:es)?|leaves?|joins?|becomes?|takes?\s+over)\b[^.;]{{0,60}}\s(?:in|on)\s+"
    rf"(?:(?:early|mid|late)[\s-]+)?(?:{_MONTH}|{'|'.join(sorted(WORDS.weekdays))}|next\s+\w+)\b(?!,?\s+\d)",
    re.IGNORECASE,
)
_AHEAD_BEHIND = re.compile(
    rf"\s(?:by\s+{_POINT}|{_FROM_DAY}|provided\s+(?:that|the|an?|it|they|we|he|she|all|no|X)\s[^.;]{{1,80}}|(?:as\s+soon\s+as|once|by\s+the\s+time|from\s+the\s+moment|pending|subject\s+to|contingent\s+on)\s"
    r"[^.;]{1,80})\W*\Z",
    re.IGNORECASE,
)


_WITH_EXCEPTION = re.compile(
    r"\bwith\s+(?:(?:the|an?|one|two|three|some|few|minor|certain|several|many|rare|following|notable|possible)\s+){0,3}"
    r"exceptions?\b",
    re.IGNORECASE,
)
_IN_PART = re.compile(
    r"\s(?:in|at|for|on|by)\s+(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|some|half|most|a\s+few|several)\s+"
    r"(?:out\s+)?of\s+(?:the\s+|our\s+|its\s+|\d+\s|two|three|four|five|six|seven|eight|nine|ten|twelve)",
    re.IGNORECASE,
)


_SORT_OF = re.compile(
    r"\b(?:in\s+all\s+but\s+name|in\s+name\s+only|of\s+sorts|so\s+to\s+speak|as\s+it\s+were|in\s+a\s+(?:sense|way)"
    r"|in\s+a\s+manner\s+of\s+speaking)\b",
    re.IGNORECASE,
)


def is_framed(sentence: str) -> bool:
    """Whether a sentence says what is so only in another world or case, is asked for, or is in the words of others."""
    if _IN_EXAMPLE.search(sentence):
        return True
    label = _LABEL.match(sentence)
    if label is not None and is_framed(sentence[label.end() :]):
        return True
    if is_elsewhere(sentence) or _CONDITION.match(sentence) or _REQUEST.match(sentence):
        return True
    return any(
        pattern.search(sentence) is not None for pattern in (_CLOSING, _SOURCE, _IN_PART, _WITH_EXCEPTION, _SORT_OF)
    )


def is_elsewhere(words: str) -> bool:
    """Whether words begin with another world, part of a plan or trial: "In season two", "In the test environment"."""
    return _OPENING.match(words) is not None and _REAL.match(words) is None


def is_of_story(sentence: str) -> bool:
    """Whether a sentence tells what happens in a work: "In the novel, …", "In her second film, …"."""
    return _IN_STORY.match(sentence) is not None


def story_told(sentence: str) -> int:
    """The offset behind "tells the story of", where the names of a story begin; -1 if none is told."""
    found = _TELLS.search(sentence)
    return found.end() if found is not None else -1


def is_ahead(sentence: str) -> bool:
    """Whether a sentence whose verb is in the present tense is about a time to come, or what has to happen before."""
    is_behind = any(pattern.search(sentence) is not None for pattern in (_AHEAD_BEHIND, _SOMEWHERE_AHEAD))
    return is_behind or _AHEAD.match(sentence) is not None
