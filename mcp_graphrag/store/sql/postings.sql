-- add_terms
-- Terms that no chunk had before.
INSERT INTO term
SELECT nextval('term_id'), i.term
FROM (SELECT DISTINCT term FROM incoming_posting) i
WHERE NOT EXISTS (SELECT 1 FROM term t WHERE t.term = i.term)

-- add_postings
-- Which terms new chunks have and how often, sorted so that a term's rows lie together.
INSERT INTO posting
SELECT t.id, i.chunk_id, i.frequency
FROM incoming_posting i JOIN term t ON t.term = i.term
ORDER BY t.id, i.chunk_id

-- add_chunk_lengths
-- How many terms each new chunk has; a chunk without a length is not searched.
INSERT INTO chunk_length SELECT chunk_id, length, $change FROM incoming_length

-- terms
-- Every term by id.
SELECT id, term FROM term WHERE id > $after ORDER BY id

-- chunk_lengths
-- The searched chunks recorded after a generation, by id.
SELECT l.chunk_id, l.length FROM chunk_length l JOIN chunk c ON c.id = l.chunk_id
WHERE l.recorded_change > $since AND c.retired_change IS NULL ORDER BY l.chunk_id

-- postings_of
-- The postings of the chunks recorded after a generation, by term and chunk.
SELECT p.term_id, p.chunk_id, p.frequency
FROM posting p
JOIN (SELECT l.chunk_id FROM chunk_length l JOIN chunk c ON c.id = l.chunk_id
      WHERE l.recorded_change > $since AND c.retired_change IS NULL) l ON l.chunk_id = p.chunk_id
ORDER BY p.term_id, p.chunk_id

-- retired_chunks
-- The chunks that were retired after a generation.
SELECT id FROM chunk WHERE retired_change > $since

-- retired_entities
-- The entities that were retired after a generation.
SELECT id FROM entity WHERE retired_change > $since

-- drop_postings
-- Everything keyword search derives, to be built again.
DELETE FROM posting; DELETE FROM chunk_length; DELETE FROM term
