-- add_terms
-- Add terms that no chunk had before.
INSERT INTO term
SELECT nextval('term_id'), i.term
FROM (SELECT DISTINCT term FROM incoming_posting) i
WHERE NOT EXISTS (SELECT 1 FROM term t WHERE t.term = i.term AND t.term IN (SELECT term FROM incoming_posting))

-- add_postings
-- Add the terms of new chunks with their frequencies, sorted so that the rows of a term lie together.
INSERT INTO posting
SELECT t.id, i.chunk_id, i.frequency
FROM incoming_posting i JOIN term t ON t.term = i.term
ORDER BY t.id, i.chunk_id

-- add_chunk_lengths
-- Add the number of terms of each new chunk; a chunk without one is not searched.
INSERT INTO chunk_length SELECT chunk_id, length, $change FROM incoming_length

-- terms
-- The terms with an id above a given one.
SELECT id, term FROM term WHERE id > $after ORDER BY id

-- chunk_lengths
-- The searched chunks recorded after a generation, by id.
STANDARD SELECT l.chunk_id, l.length FROM chunk_length l JOIN chunk c ON c.id = l.chunk_id
WHERE l.recorded_change > $since AND c.retired_change IS NULL ORDER BY l.chunk_id

-- postings
-- The postings of the chunks recorded after a generation, by term and chunk.
STANDARD SELECT p.term_id, p.chunk_id, p.frequency
FROM posting p
JOIN (SELECT l.chunk_id FROM chunk_length l JOIN chunk c ON c.id = l.chunk_id
      WHERE l.recorded_change > $since AND c.retired_change IS NULL) l ON l.chunk_id = p.chunk_id
ORDER BY p.term_id, p.chunk_id

-- delete_postings
-- Delete everything that keyword search derives, to build it anew.
DELETE FROM posting; DELETE FROM chunk_length; DELETE FROM term
