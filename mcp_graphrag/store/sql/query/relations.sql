-- entity_nodes
-- Entities as nodes of a query. Relations of nodes have the same columns; what needs a query of its own is a macro.
SELECT e.id, e.name, e.type, e.description, e.properties->>'$."text"' AS text, e.properties->>'$."title"' AS title,
       e.properties->>'$."uri"' AS uri, e.properties->>'$."heading"' AS heading,
       e.properties->>'$."citation"' AS citation, e.properties->>'$."media_type"' AS media_type,
       e.properties->>'$."source"' AS source, e.properties AS props
FROM entity e WHERE e.retired_change IS NULL

-- chunk_nodes
-- Chunks as nodes, whose ids are after those of all entities.
SELECT 1000000000000000 + c.id AS id, CAST(NULL AS VARCHAR) AS name, 'Chunk' AS type,
       CAST(NULL AS VARCHAR) AS description, c.text, d.title, d.uri, array_to_string(c.headings, ' > ') AS heading,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation,
       CAST(NULL AS VARCHAR) AS media_type, CAST(NULL AS VARCHAR) AS source,
       json_object('ordinal', c.ordinal) AS props
FROM chunk c JOIN document d ON d.id = c.document_id WHERE c.retired_change IS NULL

-- document_nodes
-- Documents as nodes.
SELECT 2000000000000000 + d.id AS id, d.title AS name, 'Document' AS type, CAST(NULL AS VARCHAR) AS description,
       CAST(NULL AS VARCHAR) AS text, d.title, d.uri, CAST(NULL AS VARCHAR) AS heading,
       CAST(NULL AS VARCHAR) AS citation, d.media_type, d.source,
       json_merge_patch(d.metadata, json_object('length', d.length)) AS props
FROM document d WHERE d.retired_change IS NULL

-- triple_edges
-- Triples as relationships of a query. Conditions may follow.
SELECT t.id, t.subject_id AS src, t.object_id AS dst, t.predicate_id, CAST(NULL AS VARCHAR) AS label,
       round(CAST(t.confidence AS DOUBLE), 3) AS confidence, day_or_moment(t.valid_from) AS valid_from,
       day_or_moment(t.valid_to) AS valid_to, CAST(NULL AS DOUBLE) AS weight,
       CAST(NULL AS VARCHAR) AS description
FROM triple t WHERE t.retired_change IS NULL

-- mention_edges
-- From each chunk to the entities that it names.
SELECT CAST(4000000000000000 + hash(m.chunk_id, m.entity_id) % 1000000000000000 AS BIGINT) AS id,
       1000000000000000 + m.chunk_id AS src, m.entity_id AS dst, CAST(NULL AS BIGINT) AS predicate_id,
       'MENTIONS' AS label, CAST(NULL AS DOUBLE) AS confidence, CAST(NULL AS VARCHAR) AS valid_from,
       CAST(NULL AS VARCHAR) AS valid_to, CAST(NULL AS DOUBLE) AS weight, CAST(NULL AS VARCHAR) AS description
FROM (SELECT DISTINCT chunk_id, entity_id FROM mention WHERE retired_change IS NULL) m
JOIN chunk c ON c.id = m.chunk_id JOIN entity e ON e.id = m.entity_id
WHERE c.retired_change IS NULL AND e.retired_change IS NULL

-- document_edges
-- From each chunk to its document.
SELECT 5000000000000000 + c.id AS id, 1000000000000000 + c.id AS src, 2000000000000000 + c.document_id AS dst,
       CAST(NULL AS BIGINT) AS predicate_id, 'IN_DOCUMENT' AS label, CAST(NULL AS DOUBLE) AS confidence,
       CAST(NULL AS VARCHAR) AS valid_from, CAST(NULL AS VARCHAR) AS valid_to, CAST(NULL AS DOUBLE) AS weight,
       CAST(NULL AS VARCHAR) AS description
FROM chunk c WHERE c.retired_change IS NULL

-- chunk_edges_of_query
-- Between chunks.
SELECT 6000000000000000 + g.id AS id, 1000000000000000 + g.source_id AS src, 1000000000000000 + g.target_id AS dst,
       CAST(NULL AS BIGINT) AS predicate_id, g.relation AS label, CAST(NULL AS DOUBLE) AS confidence,
       CAST(NULL AS VARCHAR) AS valid_from, CAST(NULL AS VARCHAR) AS valid_to, CAST(g.weight AS DOUBLE) AS weight,
       g.description
FROM chunk_edge g WHERE g.retired_change IS NULL
