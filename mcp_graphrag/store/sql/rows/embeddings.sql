-- model_dimension
-- The dimension of the model's vectors.
STANDARD SELECT octet_length(vector) AS bytes FROM model_embedding LIMIT 1

-- usual_dimension
-- The most frequent dimension of the vectors of a table.
SELECT mode(octet_length(vector)) FROM {table}

-- embeddings_of_other_dimension
-- The chunks or entities, active or retired, whose vectors have another dimension.
SELECT {of}_id FROM {table} WHERE octet_length(vector) <> $dimension ORDER BY {of}_id

-- embedded_ids
-- The active chunks or entities that have a vector.
SELECT t.id FROM {table} e JOIN {of} t ON t.id = e.{of}_id WHERE t.retired_change IS NULL ORDER BY t.id

-- delete_embeddings
-- Delete every vector of a table.
DELETE FROM {table}

-- delete_some_embeddings
-- Delete the vectors of some chunks or entities.
DELETE FROM {table} WHERE {of}_id IN ({ids})

-- add_embedding
-- Add one vector.
INSERT INTO {table} VALUES ($id, $vector, $change)

-- add_embeddings
-- Add vectors given as hexadecimal digits.
INSERT INTO {table} SELECT id, unhex(digits), $change FROM incoming_vector

-- renew_entity_embedding
-- Record the vector of an entity anew.
UPDATE entity_embedding SET recorded_change = $change WHERE entity_id = $id

-- pending_embeddings
-- The active chunks or entities without a vector; of chunks those that are searched.
STANDARD SELECT t.id FROM {of} t
WHERE t.retired_change IS NULL AND {condition} AND NOT EXISTS (SELECT 1 FROM {table} e WHERE e.{of}_id = t.id)
ORDER BY t.id LIMIT $limit

-- vectors_since
-- The active chunks or entities whose vector was recorded after a generation, with it.
STANDARD SELECT t.id, e.vector FROM {table} e JOIN {of} t ON t.id = e.{of}_id
WHERE e.recorded_change > $since AND t.id > $after AND t.retired_change IS NULL AND {condition}
ORDER BY t.id LIMIT $limit

-- chunk_with_same_text
-- For chunks one with a vector of the model, active or retired, whose embedded text is the same.
STANDARD SELECT t.id, min(e.chunk_id) AS source_id FROM chunk t JOIN document d ON d.id = t.document_id
JOIN chunk o ON o.sha256 = t.sha256 AND o.headings = t.headings AND o.context = t.context
JOIN document od ON od.id = o.document_id AND od.title = d.title JOIN model_embedding e ON e.chunk_id = o.id
WHERE t.id IN ({ids}) GROUP BY t.id

-- copy_embeddings
-- Copy vectors of the model from other chunks.
INSERT INTO model_embedding
SELECT i.id, e.vector, $change FROM incoming_copy i JOIN model_embedding e ON e.chunk_id = i.source_id

-- count_embeddings
-- How many active chunks or entities have a vector.
STANDARD SELECT count(*) FROM {table} e JOIN {of} t ON t.id = e.{of}_id WHERE t.retired_change IS NULL

-- embedded_entities
-- Those of the entities that have a vector.
SELECT entity_id FROM entity_embedding WHERE entity_id IN ({ids}) ORDER BY entity_id

-- vectors_by_id
-- Vectors by primary key, ascending.
SELECT vector FROM {table} WHERE {of}_id IN ({ids}) ORDER BY {of}_id
