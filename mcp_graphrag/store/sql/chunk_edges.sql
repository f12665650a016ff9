-- stored_chunk_edges
-- Of the offered edges those that are in force already, and whether the stored one is as strong.
SELECT i.position, e.id, e.weight >= i.weight AS holds
FROM incoming_chunk_edge i
JOIN chunk_edge e ON e.source_id = i.source_id AND e.target_id = i.target_id AND e.relation = i.relation
WHERE e.retired_change IS NULL ORDER BY e.id

-- retire_chunk_edges
-- Edges out of force, from the offered ids.
UPDATE chunk_edge SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND id IN (SELECT id FROM outdone_chunk_edge)

-- add_chunk_edges
-- New edges, from the offered columns.
INSERT INTO chunk_edge
SELECT nextval('chunk_edge_id'), source_id, target_id, relation, weight, description, extractor, $now, $change, NULL, NULL
FROM incoming_chunk_edge ORDER BY position

-- retire_edges_of_chunks
-- An edge stands on its two chunks: it goes with the first of them.
UPDATE chunk_edge SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL
  AND (source_id IN (SELECT id FROM removed_chunk) OR target_id IN (SELECT id FROM removed_chunk))

-- retire_edges_of_document
-- The same for every chunk of a document.
UPDATE chunk_edge SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL
  AND (source_id IN (SELECT id FROM chunk WHERE document_id = $id)
       OR target_id IN (SELECT id FROM chunk WHERE document_id = $id))

-- chunk_edge_rows
-- The edges in force, by id, for the resident projection.
SELECT id, source_id, target_id, (list_position($relations::JSON::VARCHAR[], relation) - 1)::TINYINT AS relation, weight,
       recorded_change
FROM chunk_edge WHERE retired_change IS NULL ORDER BY id

-- chunk_edge_rows_since
-- The edges that were recorded or retired after a generation, by id.
SELECT id, source_id, target_id, (list_position($relations::JSON::VARCHAR[], relation) - 1)::TINYINT AS relation, weight,
       recorded_change, retired_change IS NOT NULL AS retired
FROM chunk_edge WHERE recorded_change > $since OR retired_change > $since ORDER BY id

-- chunk_edges_by_id
-- Edges by primary key; a join here would turn the look-up into a scan.
SELECT id, source_id, target_id, relation, weight, description, extractor FROM chunk_edge WHERE id IN ({ids})

-- chunk_edge_counts
-- How many edges in force each relation has.
SELECT relation, count(*) AS edges FROM chunk_edge WHERE retired_change IS NULL GROUP BY relation ORDER BY edges DESC, relation

-- outgoing_chunk_edges
-- The edges in force that leave the offered chunks.
SELECT id, source_id, target_id, relation, weight, description, extractor
FROM chunk_edge WHERE retired_change IS NULL AND source_id IN (SELECT id FROM edge_source) ORDER BY id

-- chunk_edges_recorded
-- The edges that a change has recorded, by id.
SELECT source_id, target_id, relation, weight, description, extractor
FROM chunk_edge WHERE recorded_change = $change ORDER BY id

-- documents_pointing_at
-- Documents in force, other than these, that were found to point at any of them.
SELECT DISTINCT s.document_id
FROM chunk_edge e JOIN chunk s ON s.id = e.source_id JOIN chunk t ON t.id = e.target_id
WHERE e.retired_change IS NULL AND e.extractor IN ('links', 'cues')
  AND t.document_id IN (SELECT unnest($ids::BIGINT[])) AND s.document_id NOT IN (SELECT unnest($ids::BIGINT[]))
ORDER BY s.document_id LIMIT $limit

-- documents_by_uri_key
-- The documents in force under uris.
SELECT uri, id FROM document WHERE retired_change IS NULL AND uri IN (SELECT unnest($keys::JSON::VARCHAR[]))

-- documents_by_title_key
-- The documents in force under titles, whatever their case.
SELECT lower(trim(title)), id FROM document
WHERE retired_change IS NULL AND lower(trim(title)) IN (SELECT unnest($keys::JSON::VARCHAR[]))

-- documents_by_name_key
-- The documents in force whose uri ends in a file's name, with its suffix or without.
SELECT k.key, d.id
FROM (SELECT id, lower(regexp_extract(uri, '[^/:]*$')) AS name FROM document WHERE retired_change IS NULL) d
JOIN (SELECT unnest($keys::JSON::VARCHAR[]) AS key) k ON k.key = d.name OR k.key = regexp_replace(d.name, '\.[a-z]{1,8}$', '')

-- chunks_as_read
-- The chunks in force of documents, as they were cut.
SELECT document_id, id, ordinal, start_offset, end_offset, text, headings, parent_id, context
FROM chunk WHERE retired_change IS NULL AND document_id IN ({ids}) ORDER BY document_id, ordinal

-- first_chunks
-- The chunk in force at the start of each document: of a chunk and its first child, the child.
SELECT document_id, arg_max(id, ordinal) FROM chunk
WHERE retired_change IS NULL AND start_offset = 0 AND document_id IN ({ids}) GROUP BY document_id

-- documents_of_chunks
-- The document of each chunk in force, by chunk.
SELECT id, document_id FROM chunk WHERE retired_change IS NULL ORDER BY id

-- chunks_still_in_force
-- Of the offered chunks those that are in force.
SELECT id FROM chunk WHERE retired_change IS NULL AND id IN (SELECT id FROM edge_end)

-- documents_in_force_after
-- Documents in force, the oldest first.
SELECT id FROM document WHERE retired_change IS NULL AND id > $after ORDER BY id LIMIT $limit
