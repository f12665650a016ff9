"""Claims that a sentence of the stored text states, or the opposite, and sentences that only seem to."""

from collections.abc import Iterator

import pytest
from cached_files import CachedFiles
from search_helpers import ingest_documents

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.stated_in_text import Stated, stated_in_text
from mcp_graphrag.store.rows.citations import resolve_citation

# (claim, stored text)
STATED = [
    ("Kell Rovers F.C. is a football club.", "Kell Rovers Football Club is a football club in Bergen, Norway."),
    ("Ash Tor was first broadcast on Sky.", "Ash Tor is a drama series that was first broadcast on Sky in 2015."),
    ("Lund Vale is a place.", "Lund Vale is a village in Norway."),
    ("Mina Torp is a musician.", "Mina Torp is a Norwegian drummer."),
    ("Nora Bech is from Denmark.", "Nora Bech is a Danish architect."),
    ("Orin Tay is a Swedish dancer.", "Orin Tay is a dancer from Sweden."),
    ("Plum Harbour is exclusively a Danish film.", "Plum Harbour is a 2012 Danish crime film directed by Lee Moss."),
    ("Quill Sand had a director.", "Quill Sand is a 2012 film directed by Lee Moss."),
    ("Reed Lane's director was Lee Moss.", "Reed Lane is a 2012 film directed by Lee Moss."),
    ("Tor Wolds starred in Slate Hill.", "Slate Hill is a 2012 film starring Ida Moe and Tor Wolds."),
    ("Tin Choir started in Ohio.", "Tin Choir is a rock band that was formed in Dayton, Ohio in 1994."),
    ("Una Roth is a Danish judge born in May.", "Una Roth (born 2 May 1950) is a Danish judge."),
    ("Wick Tower was built before 1950.", "Wick Tower was built in 1931."),
    (
        "In 1971 Xeno Tapes the record label was founded by Tim Gray.",
        "Xeno Tapes is a record label founded in 1971 by Tim Gray.",
    ),
    ("Yew Point is a town.", "Yew Point is a town whose harbour closed after two storms, perhaps three."),
    ("Zinc Album is not an album by Blue Fox.", "Zinc Album is an album by the band Red Owl, not Blue Fox."),
    ("Ada Brook is a writer.", "Ada Brook (born 3 May 1970) is a Canadian actress, singer and writer."),
    ("Colgate Harbour is a town.", "Colgate Harbour is a small coastal town in Norway."),
    ("Dunmore is in Norway.", "Dunmore is a fishing village in the south of Hedmark, Norway."),
    ("Elm College is in Ohio.", "Elm College is a private college in Dayton, Ohio, United States."),
    ("Far Shore is a 1999 film.", "Far Shore is a 1999 American crime film directed by Lee Moss."),
    ("Grey Mile was directed by Lee Moss.", "Grey Mile is a 2001 film written by Ann Poe and directed by Lee Moss."),
    ("Hill Road was written and directed by Ann Poe.", "Hill Road is a film written and directed by Ann Poe."),
    ("Lee Marsh directed Iron Gate.", "Iron Gate is a 2004 drama film directed by Lee Marsh."),
    ("Joan Hale was born in 1901.", "Joan Hale (12 June 1901 – 3 May 1980) was an Irish painter."),
    ("Kurt Lund was born on July 15, 1973.", "Kurt Lund (born 15 July 1973) is a Danish drummer."),
    ("Lena Ott died in 1988.", "Lena Ott (1 May 1910 – 2 June 1988) was a German chemist."),
    ("Moss Records was founded in 1971.", "Moss Records is a record label founded in 1971 by Tim Gray."),
    ("Night Tide was released in 2002.", "Night Tide is a 2002 studio album by the band Orr."),
    ("Omega Tiles is an American company.", "Omega Tiles, an American company, makes floors. It was sold twice."),
    ("The Pay Gateway depends on Redis.", "The Pay Gateway depends on Redis for its sessions."),
    ("Quill Service uses Postgres.", "Quill Service uses Kafka, Postgres and Redis."),
    ("Rack Service does not call Billing.", "Rack Service does not call Billing."),
    ("Sorter was not written in Go.", "Sorter was not written in Go."),
    ("Tally is owned by the Core Team.", "Tally is a service and is owned by the Core Team."),
    ("Umbra was deployed in 2021.", "Umbra was deployed in March 2021."),
    ("Vault is a comedy.", "Vault is a 2010 American comedy film."),
    ("Xander Finn is an entertainer.", "Paul Finn, better known as Xander Finn, is a British entertainer."),
    ("Yarrow designed the Mill.", "Yarrow is a French architect. He designed the Mill in 1950."),
    ("Ulla Yates was born in Oslo.", "Ulla Yates is a judge in Bergen. Born in Oslo, Yates moved to Bergen in 1990."),
    ("Zed Park was born in Bonn.", "Zed Park was born in Bonn in 1950."),
    ("Ashfall won the Orion Prize.", "In 2011, Ashfall won the Orion Prize for its design."),
    ("Birch, Maine is a city.", "Birch (population 900) is a city in Dow County, Maine."),
    ("Cold Sea (2005 film) is a sports film.", "Cold Sea is a 2005 American sports film."),
    ("Cream Lowe is a director.", "Cream Lowe is an American film director and a son of Max Orr."),
    ("Dart Library is maintained by Ines Roth.", "Dart Library is maintained by Ines Roth and Tom Behr."),
    (
        "Ivo Holt is a footballer.",
        "Ivo Holt is a Welsh footballer who plays as a goalkeeper for Ayr in the Green League.",
    ),
    (
        "Otto Brandt was a politician.",
        "Otto Brandt was a politician who served as the Mayor of Bonn from 1950 until 1962.",
    ),
    (
        "Red Gate is a series.",
        "Red Gate is a series that originally ran on Fox for six seasons, from May 2001 to May 2007.",
    ),
    ("Red Moor aired on Fox.", "Red Moor is a series that originally aired on Fox and later on Sky."),
    (
        "Lise Moen was born in April.",
        "Lise Moen (born 4 April 1960) is an actress who works in theatre, television and film.",
    ),
    ("Gull Records was founded in 1988.", "Gull Records is a label founded in 1988 by former employees of Orr Music."),
    ("Corvane is a town.", "Corvane is a small town within the northern part of the Iberian Peninsula."),
    ("Silas Webb is a model.", "Silas Webb (born 1994) is a Canadian model."),
    ("Ned Poole was a boxer.", 'Edward Thomas "Ned" Poole (1 May 1910 – 3 June 1970) was an Irish boxer.'),
    ("In 1950, Ida Kern was born.", "Ida Kern (born 2 March 1950) is a Swiss painter."),
    (
        "Ze\u0301 Luna was a coach.",
        "Jose\u0301 Pablo de Luna, known as Z\u00e9 Luna, was a Cuban footballer and coach.",
    ),
    (
        "Halden premiered in Oslo.",
        "Filmed in Bergen, Norway, beginning in 2011, Halden premiered in Oslo on 2 May 2012.",
    ),
    (
        "The Drifts was a band.",
        "The Drifts, often abbreviated to TD, was a band active in the late 1960s and early 1970s.",
    ),
    ("Zephyr Gate is a thriller.", "Zephyr Gate is a thriller based on the novel of the same name by Ann Dray."),
    # the first words of a text without a title are taken for one, and cut off
    (
        "Dream Lake is a film.",
        "Dream Lake is a film directed by Ann Dray, starring Uwe Rahn, Tom Ray and Lee Moss, with Max Orr in a role.",
    ),
    # the opening of a document introduces a person by a fuller name
    ("Ivo Lark is a singer.", "Ivo Mads Lark (born 2 May 1950) is a Danish singer-songwriter and actor."),
    ("Jan Holt was born in 1917.", "Major Jan Pieter Holt MC (22 May 1917 – 1 June 2006) was an officer in the Army."),
    ("Ira Voss is an actress.", "Ira Jane Voss شهیدی [ jɑːɾɑː ] (born 10 February 2000) is a Danish actress."),
]
OPPOSITE = [
    (
        "Moor Light was directed by Ann Poe.",
        "Moor Light is a film directed by Lee Moss, starring Ann Poe and Tim Gray.",
    ),
    ("Isle Run was directed by Ann Poe.", "Isle Run is a film directed by Lee Moss and produced by Ann Poe."),
    ("Ida Vang is German.", "Ida Vang is an Italian politician."),
    ("Jorn Falk is a Canadian boxer.", "Jorn Falk is an American singer and actor."),
    ("Kite Street is a place.", "Kite Street is the first film of Lee Moss."),
    ("Lime Harbour had no director.", "Lime Harbour is a 2012 film directed by Lee Moss."),
    ("Mesa Choir started in Ohio.", "Mesa Choir is a rock band that was formed in Dallas, Texas in 1994."),
    ("Nell Moe was born in Italy.", "Nell Moe was born in Graz, Austria."),
    ("Onyx Tower was built after 1950.", "Onyx Tower was built in 1931."),
    ("Pike Song is based solely on a series.", "Pike Song is a film based on the novel of the same name by Ann Poe."),
    ("Quinn Aas is anything but a singer.", "Quinn Aas is a Danish singer."),
    ("Alder is a town.", "Alder is a river in France."),
    ("Bolt Service depends on Redis.", "Bolt Service does not depend on Redis."),
    ("Cairn is not a city.", "Cairn is a city in Egypt."),
    ("Dell House never won the Orion Prize.", "Dell House won the Orion Prize."),
    ("Edge Proxy was written in Rust.", "Edge Proxy was never written in Rust."),
    ("Fern Lake is a 1998 film.", "Fern Lake is a 2003 American film."),
    ("Gale Storm was born in May.", "Gale Storm (born 2 August 1950) is a writer."),
    ("Hart Records was founded in 1999.", "Hart Records was founded in 1998 by Tim Gray."),
    ("Jutland Bank is in Germany.", "Jutland Bank is a bank in Aarhus, Denmark."),
    ("Kite is a German film.", "Kite is a 2011 French action film."),
    ("Loom is the second largest city in Spain.", "Loom is the third largest city in Spain."),
    ("Mica City is in Texas.", "Mica City is a city in Ohio."),
    ("Nova Song was released in October.", "Nova Song was released on March 30, 2007."),
    ("Opal is only a book.", "Opal is a 2005 film."),
    ("Pike Duo failed to be released.", "Pike Duo is a 2002 film."),
    ("Quarry Bay has five bridges.", "Quarry Bay has three bridges."),
    ("Rook is not the largest town in Wales.", "Rook is the largest town in Wales."),
    ("Kelp Tower is in Mexico.", "Kelp Tower is a tower in Taos, New Mexico."),
    (
        "Lena Moen was born in May.",
        "Lena Moen (born 4 April 1960) is an actress who works in theatre, television and film.",
    ),
    ("Bryne Hall is in Sweden.", "Bryne Hall is a hall in the village of Os, Norway, and a member of the Hall Union."),
    ("Ash Mill is in Dow Lee County.", "Ash Mill is a mill in Ash County, Ohio."),
]
# Sentences that state neither the claim nor its opposite.
NOTHING = [
    # a number in a name is no quantity
    ("Apollo 92 flew to Ayr.", "Apollo 91 flew to Ayr."),
    ("Orion 2.5 runs on Postgres 14.", "Orion 2.4 runs on Postgres 14."),
    ("Nova 2.4 runs on Postgres 15.", "Nova 2.4 runs on Postgres 14."),
    ("Flight 92 lands in Bonn.", "Flight 91 lands in Bonn."),
    ("Symphony No. 6 was written by Orr.", "Symphony No. 5 was written by Orr."),
    ("Quill Hub supports Lua 3.12.", "Quill Hub supports Lua 3.11."),
    ("The population of Orr was 3,500.", "The population of Orr was 3,100 in 1990."),
    ("Rack Hub has 5 replicas.", "Rack Hub has 3 replicas in Bonn and 5 replicas in Rome."),
    ("Sorter Hub costs 4,000 euros.", "Sorter Hub costs about 4,000 euros."),
    # another clause
    ("Tally Ltd was founded in 1990.", "Tally Ltd was founded two years after Umbra was sold to Orr in 1990."),
    ("Vault Hub depends on Redis.", "Vault Hub started while Orders depends on Redis."),
    # which of them
    ("Wick Hub uses Redis.", "Wick Hub uses either Kafka or Redis."),
    ("Xeno Bank owns Orr.", "Xeno Bank owns everything except Orr."),
    ("Yule Hub uses Redis.", "Yule Hub uses all but Redis."),
    ("Zeta Poe wrote Ayr.", "Zeta Poe and Lee Moss wrote Dune and Ayr, respectively."),
    # not quite, or not yet
    ("Aster Ltd was bought by Orr.", "Aster Ltd was almost bought by Orr."),
    ("Brine Ltd was bought by Orr.", "Brine Ltd was to be bought by Orr."),
    ("Clove Ltd is bought by Orr.", "Clove Ltd is being bought by Orr."),
    ("Dill Ltd is owned by Orr.", "Dill Ltd is half owned by Orr."),
    ("Elder Poe joined Orr.", "Elder Poe joins Orr on 1 December 2090."),
    ("Fennel Hub replaced Kafka.", "Fennel Hub replaced Kafka in staging."),
    ("Ginger Hub is owned by Orr.", "Ginger Hub is owned by Orr through October 2090."),
    ("Hop Ltd is a subsidiary of Orr.", "Hop Ltd, a subsidiary of Orr until 2024, makes tea."),
    ("Iris Hub uses Redis.", "Iris Hub used Redis."),
    ("Jasmine Hub uses Redis.", "Jasmine Hub uses Kafka, Redis (until May 2026) and Consul."),
    # another role or verb
    ("Kelp Poe is the mayor of Bonn.", "Kelp Poe is the acting mayor of Bonn."),
    ("Juniper Poe is a mother.", "Juniper Poe is a foster mother."),
    ("Laurel Poe is an owner of Orr.", "Laurel Poe is a co-owner of Orr."),
    ("Myrtle Hill is the highest hill in Ayr.", "Myrtle Hill is the highest hill but two in Ayr."),
    ("Nettle is the largest town in Wales.", "Nettle is the second largest town in Wales."),
    ("Olive Poe wrote Dune.", "Olive Poe wrote about Dune."),
    ("Parsley Poe is the director.", "Parsley Poe is a director."),
    ("Quince Poe is a servant.", "Quince Poe is a civil servant."),
    ("Reed Journal was owned.", "Reed Journal was the first African-American owned and operated newspaper."),
    ("Sage Hub uses Redis.", "Sage Hub uses Kafka and hates Redis."),
    ("Willow Poe is in France.", "Willow Poe is a writer based in Paris, France."),
    # another doer or date, beside which there may be more
    ("Thyme Ltd was founded by Rita Moss.", "Thyme Ltd was founded by Emil Nord. The other founder was Rita Moss."),
    ("Urtica Ltd opened an office in 2020.", "Urtica Ltd opened an office in 2019."),
    ("Vanilla Song was released in June.", "Vanilla Song was released in Japan on 2 May 2001."),
    ("Salt is an album by Blue Fox.", "Salt is the second studio album by American rock band Red Owl."),
    ("Moor Book was written by Ann Poe.", "Moor Book is a novel written by Lee Moss."),
    ("Isle Band was directed by Ann Poe.", "Isle Band is a series directed by Lee Moss."),
    ("Odo Wynn is a singer.", "Odo Rafe Wynn (born 3 May 1950) is a Welsh singer. He is the son of Odo Wynn."),
    ("Otter Bay is a place.", "Otter Bay is a company in Norway."),
    ("Pell Grove is an Italian singer.", "Pell Grove is an Italian-born Canadian singer."),
    ("Quarry Song is only a song.", "Quarry Song is a song and a short film."),
    ("Rune Dahl is a wizard.", "Rune Dahl is a wizard who lives in the tales of Ann Poe."),
    ("Tova Lie is from France.", "Tova Lie is a British writer of French descent."),
    ("Ulf Ness's real name is Ida Moe.", "Ulf Ness (born Ida Moe; 2 May 1950) is a singer."),
    ("Vik Dam is a dam.", "Vik Dam is a dam that was to be built in 1970."),
    ("Sedge Poe is only a singer.", "Sedge Poe is a Danish singer."),
    ("Ben Cole is a Canadian singer.", "Ben James Cole is a Canadian actor and singer from Toronto."),
    ("West Ayr F.C. is a football club.", "West Ayr Football Club is a professional football club in Ayr."),
    ("Amber Service depends on Redis.", "Should Amber Service depend on Redis?"),
    ("Beryl Service depends on Redis.", "If Beryl Service depends on Redis, restart it."),
    ("Coral Service depends on Redis.", "I think Coral Service depends on Redis."),
    ("Denim Service depends on Redis.", "Denim Service may depend on Redis."),
    ("Ebony Service depends on Redis.", "Ebony Service depends on Redis Cluster."),
    ("Flint Service depends on Redis.", "Flint Service depends on Redis until 2021."),
    ("Green Service is owned by the Core Team.", "Green Service was owned by the Core Team."),
    ("Hazel Service depends on Redis.", "Hazel Service depended on Redis."),
    ("Ivory Service depends on Redis.", "Ivory Service Worker depends on Redis."),
    ("Khaki Service depends on Redis.", "# Khaki Service depends on Redis.\n\nSee below."),
    ("Lilac Service depends on Redis.", "```\nLilac Service depends on Redis.\n```\n"),
    ("Mauve Service depends on Redis.", "> Mauve Service depends on Redis.\n\nThat was wrong."),
    ("Navy Service depends on Redis.", "# Rejected alternatives\n\nNavy Service depends on Redis.\n"),
    ("Ochre Service depends on Redis.", "It is wrong that:\n\n- Ochre Service depends on Redis.\n"),
    ("Pearl Service depends on Redis.", "Pearl Service was planned to depend on Redis."),
    ("Ruby Service depends on Redis.", "Ruby Service depends on Kafka or Redis."),
    ("Sepia Service depends on Redis.", "Sepia Service depends on Redis, said Tom."),
    ("Teal Service calls Billing.", "Teal Service calls Orders and Billing calls Mail."),
    ("Umber Service is a database.", "Umber Service is a database client."),
    ("Wheat Service was sold.", "Wheat Service was not sold in Spain."),
    ("Azure Dane is a minister.", "Azure Dane is a former minister."),
    ("Brass Kane is a king.", "Brass Kane is a fictional king."),
    ("Dusk Mann was directed by Lee Moss.", "Dusk Mann is a song from the film Ayr directed by Lee Moss."),
    ("Ember Nash is a politician.", "Ember Nash is an American actor."),
    ("Fog Olsen was born in 1960.", "Fog Olsen (active since 1960) is a writer."),
    ("Gold Price lives in Paris.", "Gold Price lived in Paris."),
    ("Haze Quinn was founded in 1960.", "Haze Quinn was founded before 1970."),
    ("Indigo Ross is in Spain.", "Indigo Ross is a book about a town in Spain."),
    ("Jet Stone is in Ireland.", "Jet Stone is a company known for its offices in Germany."),
    ("Kale Tower is in the United States.", "Kale Tower is a tower in Mexico Lane."),
    ("Lime Upton won the Orion Prize.", "Lime Upton reportedly won the Orion Prize."),
    ("Mint Vale won the Orion Prize.", "Mint Vale won the Orion Prize nomination."),
    ("Nut Walsh won the Orion Prize.", "Nut Walsh almost won the Orion Prize."),
    ("Oak Young uses Kafka.", "Oak Young uses neither Kafka nor Redis."),
    ("Plum Zane is a city in France.", "Plum Zane is a city."),
    ("Rose Abel directed Fox.", "Rose Abel co-directed a play. Fox was shown."),
    ("Sand Burr was released.", "Sand Burr is an upcoming album."),
    ("Tan Cross was written by Ann Poe.", "Tan Cross is a film based on a book written by Ann Poe."),
    ("Wine Drew is the chair of Orr.", "Wine Drew is the deputy chair of Orr."),
    ("Zinc Eads has two sons.", "Zinc Eads has two daughters and three sons-in-law."),
    ("Amber Hall is a city.", "Amber Hall is not a large city."),
    ("Beryl Hall uses wine.", "Beryl Hall does not use French wine."),
    ("Coral Hall is a city.", "Coral Hall is not only a city but a port."),
    ("Denim Hall depends on Redis.", "Denim Hall does not directly depend on Redis."),
    ("Ebony Hall depends on Redis.", "Ebony Hall does not depend on Redis for its sessions."),
    ("Flint Hall sells black tea.", "Flint Hall sells green tea."),
    ("Lund Hall is in the Orr Museum.", "Lund Hall is the director of the Orr Museum."),
    ("Marsh Hall is in Late Gothic.", "Marsh Hall is a church in the Late Gothic style."),
    ("Niel Hall is in Wixom.", "Niel Hall is a farm some 10 km south east of Wixom."),
    ("Otto Hall is the chair of Orr.", "Otto Hall is the former and first chair of Orr."),
    (
        "WXAB was licensed to Dayton, Ohio.",
        "WXAB was licensed to West Dayton, Ohio and serves the Dayton, Ohio market.",
    ),
    ("Pine Hall was produced by Orr Films.", "Pine Hall is a film produced by Lee Moss on the Orr Films banner."),
    (
        "Quay Hall was made by the Fund.",
        "Quay Hall is a film produced by the Ayr Commission Against Fraud and the Fund.",
    ),
    ("Green Hall has five bridges.", "Green Hall has three bridges over the Rhine."),
    ("Hazel Hall plays French music.", "Hazel Hall plays German music."),
    ("Ivory Hall was born in 1950.", "Ivory Hall was born in Paris and died in 1950."),
    ("Jade Hall was born in Rome.", "Jade Hall was born in Paris and lived in Rome."),
    ("Khaki Hall was built in Rome.", "Khaki Hall was built by Ann Poe and burned in Rome."),
    ("Lilac Hall directed Fox.", "Lilac Hall is a critic of the man who directed Fox."),
    ("Mauve Yeats was born in Oslo.", "Mauve Yeats is a sister of Otto Yeats. Born in Oslo, Yeats moved to Bergen."),
    ("Navy Yorke was born in Oslo.", "Born in Oslo, Yorke moved to Bergen."),
    ("Plan B is not a service.", "A service is not Plan B."),
    ("Is Crane Hub a service?", "Crane Hub is a service."),
    ("The service depends on Etcd.", "The service depends on Etcd."),
    ("It depends on Etcd.", "It depends on Etcd."),
    ("Fawn Hub might be a service.", "Fawn Hub is a service."),
    # another kind
    ("Fern Bridge is a bridge.", "Fern Bridge is a bridge that was never built."),
    ("Tim Ray is a film.", "Tim Ray is a film and television producer."),
    ("Joan Ray is a film.", "Joan Ray is an American film and stage actress and director."),
    ("Hal Ray is the writer.", "Hal Ray is an English writer and the husband of the actress Ann Dray."),
    ("Leo Ray is a football.", "Leo Ray is a footballer from Ayr."),
    ("Kim Ray is an opera.", "Kim Ray is a soap opera."),
    ("Vera Holt is a Spanish singer.", "Vera Holt is a Spanish teacher and singer."),
    ("Bruno Falk is the first president of Orr.", "Bruno Falk is the third president of Orr."),
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, cached_files: CachedFiles) -> Iterator[Graph]:
    with cached_files.opened(tmp_path_factory.mktemp("stated") / "graph.duckdb") as graph:
        texts = dict.fromkeys(text for _, text in (*STATED, *OPPOSITE, *NOTHING))
        ingest_documents(graph, *(text_document(TextInput(text), max_bytes=graph.max_bytes) for text in texts))
        yield graph


def stated(graph: Graph, claim: str) -> list[Stated]:
    with graph.reading() as snapshot:
        return stated_in_text(snapshot, claim, [])


@pytest.mark.parametrize(("claim", "text"), STATED)
def test_sentence_that_states_a_claim_agrees(stored: Graph, claim: str, text: str) -> None:
    found = stated(stored, claim)
    assert [each.agrees for each in found] == [True]
    assert found[0].quote in text


@pytest.mark.parametrize(("claim", "text"), OPPOSITE)
def test_sentence_that_excludes_a_claim_does_not_agree(stored: Graph, claim: str, text: str) -> None:
    found = stated(stored, claim)
    assert [each.agrees for each in found] == [False]
    assert found[0].quote in text


@pytest.mark.parametrize(("claim", "text"), NOTHING)
def test_sentence_that_only_resembles_a_claim_is_left_out(stored: Graph, claim: str, text: str) -> None:
    assert stated(stored, claim) == [], text


def test_person_is_introduced_by_a_fuller_name_below_the_short_one_as_title(graph: Graph) -> None:
    graph.ingest_text(TextInput("Ivo Mads Lark (born 2 May 1950) is a Danish singer.", "Ivo Lark"))

    assert [each.agrees for each in stated(graph, "Ivo Lark is a singer.")] == [True]
    assert stated(graph, "Mads Lark is a singer.") == []


def test_a_fuller_name_in_a_text_with_the_short_one_may_be_of_another_person(graph: Graph) -> None:
    graph.ingest_text(TextInput("Ivo Mads Lark (born 2 May 1950) is a Danish singer. His father was Ivo Lark."))
    assert stated(graph, "Ivo Lark is a singer.") == []


def test_citation_is_that_of_the_sentence(graph: Graph) -> None:
    graph.ingest_text(TextInput("Prose first. **Ada Hub** is a service of the Core Team. More prose.", uri="note:1"))
    with graph.reading() as snapshot:
        (found,) = stated_in_text(snapshot, "Ada Hub is a service.", [])
        assert resolve_citation(snapshot.tx, found.citation).text == found.quote
    assert found.quote == "**Ada Hub** is a service of the Core Team."


def test_sentences_that_disagree_are_both_given(graph: Graph) -> None:
    graph.ingest_text(TextInput("Ada Hub was founded in 1990."))
    graph.ingest_text(TextInput("Ada Hub was founded in 1991."))
    found = stated(graph, "Ada Hub was founded in 1990.")
    assert {(each.agrees, each.why) for each in found} == {(True, "states it"), (False, "gives another date: 1991")}


def test_replaced_text_states_nothing(graph: Graph) -> None:
    graph.ingest_text(TextInput("Ada Hub depends on Redis.", uri="note:1"))
    graph.ingest_text(TextInput("Ada Hub depends on Kafka.", uri="note:1"))
    assert stated(graph, "Ada Hub depends on Redis.") == []


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("# Design\n\nNotes on it.\n\n## Proposal\n\nThe Pay Gateway depends on Redis.\n", False),
        ("# Design\n\n## Proposal\n\nWe wait.\n\n## Services\n\nThe Pay Gateway depends on Redis.\n", True),
        ("# Design\n\n## Proposal\n\nWe wait.\n\n### Services\n\nThe Pay Gateway depends on Redis.\n", False),
        ("# Design\n\n## What we decided against\n\nThe Pay Gateway depends on Redis.\n", False),
        ("Common misconceptions\n\n- The Pay Gateway depends on Redis.\n", False),
        ("Common services\n\n- The Pay Gateway depends on Redis.\n", True),
    ],
)
def test_sentence_is_read_under_the_headings_of_its_own_section(graph: Graph, text: str, *, states: bool) -> None:
    graph.ingest_text(TextInput(text), extract="none")
    assert bool(stated(graph, "The Pay Gateway depends on Redis.")) == states


@pytest.mark.parametrize(
    ("text", "claim", "verdict"),
    [
        ("Lumen One costs $50.", "Lumen One costs $50.", "supported"),
        ("Lumen One costs $50.", "Lumen One costs €50.", "unknown"),
        ("The price of Lumen One is $50.", "The price of Lumen One is 50.", "unknown"),
        ("The share of Lumen is 50%.", "The share of Lumen is 50.", "unknown"),
        ("The temperature limit of Lumen One is -5 C.", "The temperature limit of Lumen One is 5 C.", "unknown"),
        ("Quill was written in C++ by Ann Moss.", "Quill was written in C.", "unknown"),
        ("Ann Moss is the late wife of Carl Moss.", "Ann Moss is the wife of Carl Moss.", "unknown"),
        ("Ann Moss is a student doctor.", "Ann Moss is a doctor.", "unknown"),
    ],
)
def test_an_amount_is_compared_with_its_signs(graph: Graph, text: str, claim: str, verdict: str) -> None:
    graph.ingest_text(TextInput(text, title="Notes"))
    assert graph.check_claim(claim).verdict == verdict
