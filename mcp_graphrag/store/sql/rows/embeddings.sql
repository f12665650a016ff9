-- embedder
-- The embedder of the file; without parameters, because every query runs it.
SELECT value FROM meta WHERE key = 'embedder'

-- create_embeddings
-- An empty table for the vectors of chunks or of entities.
CREATE OR REPLACE TABLE {of}_embedding (
  {of}_id BIGINT PRIMARY KEY, vector {type}[{dimension}] NOT NULL, recorded_change BIGINT NOT NULL)

-- delete_embeddings
-- Delete every vector of chunks or of entities.
DELETE FROM {of}_embedding

-- delete_entity_embeddings
-- Delete the vectors of entities.
DELETE FROM entity_embedding WHERE entity_id IN ({ids})

-- add_embedding
-- Add one vector.
INSERT INTO {of}_embedding VALUES ($id, $vector, $change)

-- add_embeddings
-- Add vectors given by their components.
INSERT INTO {of}_embedding SELECT id, {vector}, $change FROM incoming_vector

-- renew_entity_embedding
-- Record the vector of an entity anew.
UPDATE entity_embedding SET recorded_change = $change WHERE entity_id = $id

-- pending_embeddings
-- The active chunks or entities without a vector; of chunks those that are searched.
SELECT id FROM {of} WHERE retired_change IS NULL AND id NOT IN ({without}) AND id NOT IN ({embedded})
ORDER BY id LIMIT $limit

-- embedded_since
-- The active chunks or entities whose vector was recorded after a generation.
SELECT e.{of}_id AS id FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id
WHERE e.recorded_change > $since AND e.{of}_id > $after AND t.retired_change IS NULL
ORDER BY e.{of}_id LIMIT $limit

-- vectors_since
-- Their vectors, one component a row.
SELECT unnest(vector) AS x FROM (
  SELECT e.vector FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id
  WHERE e.recorded_change > $since AND e.{of}_id > $after AND t.retired_change IS NULL
  ORDER BY e.{of}_id LIMIT $limit)

-- chunk_with_same_text
-- For chunks one with a vector, active or retired, whose embedded text is the same.
SELECT t.id, min(e.chunk_id) FROM chunk t JOIN document d ON d.id = t.document_id
JOIN chunk o ON o.sha256 = t.sha256 AND o.headings = t.headings AND o.context = t.context
JOIN document od ON od.id = o.document_id AND od.title = d.title JOIN chunk_embedding e ON e.chunk_id = o.id
WHERE t.id IN ({ids}) GROUP BY t.id

-- entity_with_same_text
-- For entities one with a vector, active or retired, with the same name.
SELECT t.id, min(e.entity_id) FROM entity t JOIN entity o ON o.name = t.name
JOIN entity_embedding e ON e.entity_id = o.id WHERE t.id IN ({ids}) GROUP BY t.id

-- copy_embeddings
-- Copy vectors from other rows.
INSERT INTO {of}_embedding
SELECT i.id, e.vector, $change FROM incoming_copy i JOIN {of}_embedding e ON e.{of}_id = i.source_id

-- count_embeddings
-- How many vectors are stored.
SELECT count(*) FROM {of}_embedding

-- embedded_entities
-- Those of the entities that have a vector.
SELECT entity_id FROM entity_embedding WHERE entity_id IN ({ids}) ORDER BY entity_id

-- vectors_by_id
-- Vectors by primary key, ascending, one component a row.
SELECT unnest(vector) AS x FROM (
  SELECT vector FROM {of}_embedding WHERE {of}_id IN ({ids}) ORDER BY {of}_id)

-- nearest_exact
-- The active rows with the highest cosine to a unit vector, by a scan.
WITH scored AS (
  SELECT e.{of}_id AS id, e.vector::FLOAT[{dimension}] AS v, $vector::FLOAT[{dimension}] AS wanted
  FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id WHERE t.retired_change IS NULL AND {condition})
SELECT id, array_inner_product(v, wanted) / greatest(sqrt(array_inner_product(v, v)), 1e-12) AS score
FROM scored ORDER BY score DESC, id LIMIT $limit
