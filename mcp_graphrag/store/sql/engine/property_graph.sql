-- pgq_graph
-- The tables as they are: rows that were retired are among them, so that patterns ask for those in force.
CREATE PROPERTY GRAPH knowledge
VERTEX TABLES (
  graph_file.entity LABEL Entity,
  graph_file.chunk LABEL Chunk
)
EDGE TABLES (
  graph_file.triple SOURCE KEY (subject_id) REFERENCES graph_file.entity (id)
    DESTINATION KEY (object_id) REFERENCES graph_file.entity (id) LABEL Triple,
  graph_file.mention SOURCE KEY (chunk_id) REFERENCES graph_file.chunk (id)
    DESTINATION KEY (entity_id) REFERENCES graph_file.entity (id) LABEL Mentions,
  graph_file.chunk_edge SOURCE KEY (source_id) REFERENCES graph_file.chunk (id)
    DESTINATION KEY (target_id) REFERENCES graph_file.chunk (id) LABEL ChunkEdge
)

-- pgq_example_from
-- What leads to it, by predicate.
SELECT g.subject, p.name AS predicate
FROM GRAPH_TABLE (knowledge
  MATCH (s:Entity)-[t:Triple WHERE t.retired_change IS NULL]->(o:Entity WHERE o.name = getvariable('name'))
  COLUMNS (s.name AS subject, t.predicate_id AS predicate_id)) g
JOIN graph_file.predicate p ON p.id = g.predicate_id
ORDER BY ALL LIMIT 5

-- pgq_example_evidence
-- What it leads to or what leads to it, with the words of the documents.
SELECT p.name AS predicate, g.other, v.quote
FROM GRAPH_TABLE (knowledge
  MATCH (s:Entity WHERE s.name = getvariable('name'))-[t:Triple WHERE t.retired_change IS NULL]-(o:Entity)
  COLUMNS (t.id AS triple_id, t.predicate_id AS predicate_id, o.name AS other)) g
JOIN graph_file.predicate p ON p.id = g.predicate_id
JOIN graph_file.evidence v ON v.triple_id = g.triple_id AND v.retired_change IS NULL
ORDER BY ALL LIMIT 5

-- pgq_example_chain
-- Chains of two hops to it, with a predicate on each.
SELECT g.first, p.name AS predicate, g.via, q.name AS next_predicate
FROM GRAPH_TABLE (knowledge
  MATCH (a:Entity)-[t:Triple WHERE t.retired_change IS NULL]->(b:Entity)
    -[u:Triple WHERE u.retired_change IS NULL]->(c:Entity WHERE c.name = getvariable('name'))
  COLUMNS (a.name AS first, t.predicate_id AS one, b.name AS via, u.predicate_id AS two)) g
JOIN graph_file.predicate p ON p.id = g.one
JOIN graph_file.predicate q ON q.id = g.two
ORDER BY ALL LIMIT 5

-- pgq_example_shared
-- What shares most with it: other entities that lead to the same.
SELECT g.other, count(DISTINCT g.shared) AS shared
FROM GRAPH_TABLE (knowledge
  MATCH (a:Entity WHERE a.name = getvariable('name'))-[t:Triple WHERE t.retired_change IS NULL]->(m:Entity)
    <-[u:Triple WHERE u.retired_change IS NULL]-(b:Entity)
  WHERE a.id <> b.id
  COLUMNS (m.id AS shared, b.name AS other)) g
GROUP BY g.other ORDER BY shared DESC, g.other LIMIT 5

-- pgq_example_as_of
-- What led to it on a day.
SELECT g.subject, p.name AS predicate
FROM GRAPH_TABLE (knowledge
  MATCH (s:Entity)-[t:Triple WHERE t.retired_change IS NULL AND t.said_until IS NULL]->(o:Entity)
  WHERE o.name = getvariable('name') AND coalesce(t.valid_from <= TIMESTAMP '2025-01-31', true)
    AND coalesce(TIMESTAMP '2025-01-31' < t.valid_to, true)
  COLUMNS (s.name AS subject, t.predicate_id AS predicate_id)) g
JOIN graph_file.predicate p ON p.id = g.predicate_id
ORDER BY ALL LIMIT 5

-- pgq_example_mentioned
-- What is named in the same chunks.
SELECT g.other, count(DISTINCT g.chunk_id) AS chunks
FROM GRAPH_TABLE (knowledge
  MATCH (a:Entity WHERE a.name = getvariable('name'))<-[m:Mentions WHERE m.retired_change IS NULL]-(c:Chunk)
    -[n:Mentions WHERE n.retired_change IS NULL]->(b:Entity)
  WHERE a.id <> b.id
  COLUMNS (c.id AS chunk_id, b.name AS other)) g
GROUP BY g.other ORDER BY chunks DESC, g.other LIMIT 5

-- pgq_most_named
-- The entity that most triples lead to; of equal ones the first by name.
SELECT e.name FROM triple t JOIN entity e ON e.id = t.object_id
WHERE t.retired_change IS NULL AND is_of_names(t)
GROUP BY e.id, e.name ORDER BY count(*) DESC, e.name, e.id LIMIT 1
