-- stored_chunk_edges
-- Of the incoming edges those that are stored, and whether with at least the same weight.
SELECT i.position, e.id, e.weight >= i.weight AS as_strong
FROM incoming_chunk_edge i
JOIN chunk_edge e ON e.source_id = i.source AND e.target_id = i.target AND e.relation = i.relation
WHERE e.retired_change IS NULL ORDER BY e.id

-- add_chunk_edges
-- Add chunk edges.
INSERT INTO chunk_edge
SELECT nextval('chunk_edge_id'), source, target, relation, weight, description, extractor, $now, $change,
       NULL, NULL
FROM incoming_chunk_edge ORDER BY position

-- retire_edges_of_document
-- Retire the edges from and to the chunks of a document.
UPDATE chunk_edge SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL
  AND (source_id IN FIRST (SELECT id FROM chunk WHERE document_id = $id)
       OR target_id IN FIRST (SELECT id FROM chunk WHERE document_id = $id))

-- chunk_edge_rows
-- The chunk edges that were recorded or retired after a generation, by id; after -1 only the active ones.
SELECT e.id, e.source_id, e.target_id,
       (list_position($relations::JSON::VARCHAR[], e.relation) - 1)::TINYINT AS relation, e.weight,
       e.retired_change IS NOT NULL AS retired
FROM chunk_edge e
WHERE (e.recorded_change > $since OR e.retired_change > $since) AND (e.retired_change IS NULL OR $since >= 0)
ORDER BY e.id

-- chunk_edges_by_id
-- Chunk edges by primary key; a join would scan the table instead.
SELECT e.id, edge_columns(e) FROM chunk_edge e WHERE e.id IN ({ids})

-- chunk_edge_counts
-- How many active edges each relation has.
SELECT relation, count(*) AS edges FROM chunk_edge WHERE retired_change IS NULL
GROUP BY relation ORDER BY edges DESC, relation

-- outgoing_chunk_edges
-- The active edges that leave any of the chunks.
SELECT e.id, edge_columns(e)
FROM chunk_edge e WHERE e.retired_change IS NULL AND e.source_id IN (SELECT id FROM incoming_id) ORDER BY e.id

-- chunk_edges_recorded
-- The edges that a change has recorded, by id.
SELECT edge_columns(e) FROM chunk_edge e WHERE e.recorded_change = $change ORDER BY e.id

-- referring_documents
-- The active documents, other than these, with a reference to any of them.
STANDARD SELECT DISTINCT s.document_id
FROM chunk_edge e JOIN chunk s ON s.id = e.source_id JOIN chunk t ON t.id = e.target_id
WHERE e.retired_change IS NULL AND e.extractor IN ('links', 'cues')
  AND t.document_id IN FIRST (SELECT unnest($ids::BIGINT[]))
  AND s.document_id NOT IN FIRST (SELECT unnest($ids::BIGINT[]))
ORDER BY s.document_id LIMIT $limit

-- documents_by_uri
-- The active documents by uri.
SELECT uri, id FROM document WHERE retired_change IS NULL AND uri IN FIRST (SELECT unnest($keys::JSON::VARCHAR[]))

-- documents_by_title
-- The active documents by title in lower case.
SELECT lower(trim(title)), id FROM document
WHERE retired_change IS NULL AND lower(trim(title)) IN FIRST (SELECT unnest($keys::JSON::VARCHAR[]))

-- documents_by_name
-- The active documents by the file name at the end of their uri, with its suffix or without.
SELECT key, id
FROM (
  SELECT id, unnest(list_distinct([name, regexp_replace(name, '\.[a-z]{1,8}$', '')])) AS key
  FROM (SELECT id, lower(regexp_extract(uri, '[^/:]*$')) AS name FROM document WHERE retired_change IS NULL))
WHERE key IN FIRST (SELECT unnest($keys::JSON::VARCHAR[]))

-- chunks_of_documents
-- The active chunks of documents.
SELECT document_id, id, ordinal, start_offset, end_offset, text, headings, parent_id, context
FROM chunk WHERE retired_change IS NULL AND document_id IN ({ids}) ORDER BY document_id, ordinal

-- first_chunks
-- The active chunk at the start of each document: of a chunk and its first child, the child.
SELECT document_id, arg_max(id, ordinal) FROM chunk
WHERE retired_change IS NULL AND start_offset = 0 AND document_id IN ({ids}) GROUP BY document_id

-- active_chunks
-- Those of the chunks that are active.
SELECT id FROM chunk WHERE retired_change IS NULL AND id IN (SELECT id FROM incoming_id)

-- active_documents_after
-- The active documents with an id above a given one.
SELECT id FROM document WHERE retired_change IS NULL AND id > $after ORDER BY id LIMIT $limit
