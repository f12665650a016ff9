-- predicates
-- Every predicate by name.
SELECT name, id FROM predicate ORDER BY id

-- add_predicates
-- New predicates, from the offered columns.
INSERT INTO predicate SELECT id, name, '', $change FROM incoming_predicate

-- match_triples
-- The triple in force that says the same, for each offered row; identity takes NULL times as equal.
CREATE OR REPLACE TEMP TABLE matched AS
SELECT i.position, t.id AS triple_id, i.subject_id, i.predicate_id, i.object_id, i.valid_from, i.valid_to,
       i.confidence, i.metadata
FROM incoming_triple i
LEFT JOIN (
  SELECT * FROM triple
  WHERE retired_change IS NULL AND subject_id IN (SELECT subject_id FROM incoming_triple)) t
  ON t.subject_id = i.subject_id AND t.predicate_id = i.predicate_id AND t.object_id = i.object_id
 AND t.valid_from IS NOT DISTINCT FROM i.valid_from AND t.valid_to IS NOT DISTINCT FROM i.valid_to

-- new_triples
-- What no triple in force says yet, once for each identity, in the order offered: metadata of the first that has some.
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT nextval('triple_id') AS id, *
FROM (
  SELECT m.subject_id, m.predicate_id, m.object_id, m.valid_from, m.valid_to, count(*) AS said,
         max(m.confidence) AS confidence, arg_min(m.metadata, m.position) AS metadata
  FROM matched m WHERE m.triple_id IS NULL
  GROUP BY m.subject_id, m.predicate_id, m.object_id, m.valid_from, m.valid_to
  ORDER BY min(m.position))

-- add_triples
-- Store them.
INSERT INTO triple
SELECT id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, metadata, $now, $change, NULL, NULL
FROM fresh

-- place_triples
-- The triple of each offered row, new or known; what is new and said once needs no look for a double.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT m.position, coalesce(m.triple_id, f.id) AS triple_id, m.triple_id IS NULL AS is_new,
       coalesce(f.said = 1, false) AS said_once
FROM matched m
LEFT JOIN fresh f
  ON f.subject_id = m.subject_id AND f.predicate_id = m.predicate_id
 AND f.object_id = m.object_id AND f.valid_from IS NOT DISTINCT FROM m.valid_from
 AND f.valid_to IS NOT DISTINCT FROM m.valid_to

-- add_first_evidence
-- The evidence of what is new and said once: it cannot be stored already.
INSERT INTO evidence
SELECT nextval('evidence_id'), p.triple_id, nullif(i.chunk_id, -1), nullif(i.start_offset, -1),
       nullif(i.end_offset, -1), i.quote, $extractor, i.confidence, i.surface, i.source, $now, $change, NULL, NULL,
       i.subject_name, i.object_name, i.metadata
FROM incoming_triple i JOIN placed p USING (position)
WHERE p.said_once

-- find_new_evidence
-- Of the other rows, the evidence that is not stored yet, or not as sure.
CREATE OR REPLACE TEMP TABLE fresh_evidence AS
WITH said AS (
  SELECT p.triple_id,
         i.* REPLACE (nullif(chunk_id, -1) AS chunk_id, nullif(start_offset, -1) AS start_offset,
                      nullif(end_offset, -1) AS end_offset)
  FROM incoming_triple i JOIN placed p USING (position)
  WHERE NOT p.said_once)
SELECT e.*
FROM (
  SELECT DISTINCT ON (triple_id, chunk_id, start_offset, end_offset, quote, source) * FROM said
  ORDER BY confidence DESC, position) e
WHERE NOT EXISTS (
  SELECT 1 FROM evidence v
  WHERE v.triple_id = e.triple_id AND v.retired_change IS NULL AND v.extractor = $extractor
    AND v.chunk_id IS NOT DISTINCT FROM e.chunk_id AND v.start_offset IS NOT DISTINCT FROM e.start_offset
    AND v.end_offset IS NOT DISTINCT FROM e.end_offset AND v.quote IS NOT DISTINCT FROM e.quote
    AND v.source IS NOT DISTINCT FROM e.source AND v.confidence >= e.confidence)

-- retire_outdone_evidence
-- What says the same as new evidence, less surely, is no longer in force.
UPDATE evidence SET retired_at = $now, retired_change = $change
FROM fresh_evidence e
WHERE evidence.triple_id = e.triple_id AND evidence.retired_change IS NULL AND evidence.extractor = $extractor
  AND evidence.chunk_id IS NOT DISTINCT FROM e.chunk_id AND evidence.quote IS NOT DISTINCT FROM e.quote
  AND evidence.start_offset IS NOT DISTINCT FROM e.start_offset
  AND evidence.end_offset IS NOT DISTINCT FROM e.end_offset
  AND evidence.source IS NOT DISTINCT FROM e.source

-- add_evidence
-- Store it.
INSERT INTO evidence
SELECT nextval('evidence_id'), triple_id, chunk_id, start_offset, end_offset, quote, $extractor, confidence, surface,
       source, $now, $change, NULL, NULL, subject_name, object_name, metadata
FROM fresh_evidence

-- placed_triples
-- The triple of each offered row in the order they were offered.
SELECT triple_id, is_new, said_once FROM placed ORDER BY position

-- triples_by_id
-- Triples by primary key; a join here would turn the look-up into a scan.
SELECT id, subject_id, predicate_id, object_id, confidence, properties, valid_from, valid_to, recorded_at, retired_at
FROM triple WHERE id IN ({ids})

-- triple_ids_like
-- The triples in force that fit a pattern, oldest first; a NULL part holds for all.
SELECT t.id
FROM triple t
JOIN entity s ON s.id = t.subject_id
JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL AND t.id > $after
  AND ($subjects IS NULL OR list_contains($subjects::BIGINT[], t.subject_id))
  AND ($objects IS NULL OR list_contains($objects::BIGINT[], t.object_id))
  AND ($predicates IS NULL OR list_contains($predicates::BIGINT[], t.predicate_id))
  AND ($as_of IS NULL OR (coalesce(t.valid_from <= $as_of, true) AND coalesce($as_of < t.valid_to, true)))
  AND ($subject_types IS NULL
       OR list_contains($subject_types::JSON::VARCHAR[], regexp_replace(lower(s.type), '[\s_-]', '', 'g')))
  AND ($object_types IS NULL
       OR list_contains($object_types::JSON::VARCHAR[], regexp_replace(lower(o.type), '[\s_-]', '', 'g')))
ORDER BY t.id LIMIT $limit

-- evidence_by_id
-- Why triples are believed, by primary key.
SELECT id, triple_id, start_offset, end_offset, quote, extractor, confidence, surface, source, chunk_id
FROM evidence WHERE id IN ({ids})

-- evidence_rows
-- Which evidence each triple has, of what was recorded after a generation and is in force.
SELECT triple_id, id, confidence FROM evidence WHERE retired_change IS NULL AND recorded_change > $since ORDER BY id

-- retired_evidence
-- The evidence that was retired after a generation.
SELECT id FROM evidence WHERE retired_change > $since

-- places_of_chunks
-- Where chunks stand, for citations.
SELECT id, document_id, start_offset, end_offset, sha256 FROM chunk WHERE id IN ({ids})

-- predicate_counts
-- How many triples in force each predicate has.
SELECT p.name, count(*) AS triples
FROM triple t JOIN predicate p ON p.id = t.predicate_id
WHERE t.retired_change IS NULL
  AND ($as_of IS NULL OR (coalesce(t.valid_from <= $as_of, true) AND coalesce($as_of < t.valid_to, true)))
GROUP BY p.name ORDER BY triples DESC, p.name

-- extractor_counts
-- How much evidence in force each extractor has given.
SELECT extractor, count(*) AS evidence FROM evidence WHERE retired_change IS NULL GROUP BY extractor ORDER BY evidence DESC

-- graph_rows
-- The triples in force, by id, for the resident graph.
SELECT id, subject_id, predicate_id, object_id, confidence, recorded_change,
       coalesce(epoch_us(valid_from), -9223372036854775807) AS valid_from,
       coalesce(epoch_us(valid_to), 9223372036854775807) AS valid_to
FROM triple WHERE retired_change IS NULL ORDER BY id

-- graph_rows_then
-- Of what was known then, the triples that are no longer in force, or were in force once before.
SELECT id, subject_id, predicate_id, object_id, confidence, recorded_change,
       coalesce(epoch_us(valid_from), -9223372036854775807) AS valid_from,
       coalesce(epoch_us(valid_to), 9223372036854775807) AS valid_to
FROM triple WHERE then_only ORDER BY id

-- graph_rows_since
-- What was recorded or retired after a generation, or gained or lost evidence.
SELECT id, subject_id, predicate_id, object_id, confidence, recorded_change,
       coalesce(epoch_us(valid_from), -9223372036854775807) AS valid_from,
       coalesce(epoch_us(valid_to), 9223372036854775807) AS valid_to,
       retired_change IS NOT NULL AS retired
FROM triple
WHERE recorded_change > $since OR retired_change > $since
   OR id IN (SELECT triple_id FROM evidence WHERE recorded_change > $since OR retired_change > $since)
ORDER BY id

-- clear_graph
-- Remove every triple and entity for good.
DELETE FROM evidence; DELETE FROM triple; DELETE FROM mention; DELETE FROM entity_alias; DELETE FROM entity;
DELETE FROM predicate; DELETE FROM extraction; DELETE FROM conflict; DELETE FROM merge; DELETE FROM distinct_pair;
DELETE FROM past WHERE kind NOT IN ('document', 'chunk', 'chunk_edge')

-- clear_documents
-- Remove every document with all that derives from it, for good.
DELETE FROM posting; DELETE FROM chunk_length; DELETE FROM term; DELETE FROM chunk_edge; DELETE FROM chunk;
DELETE FROM document; DELETE FROM job_item; DELETE FROM job; DELETE FROM past

-- evidence_ids_of
-- The surest pieces of evidence of triples, by a scan.
SELECT id, triple_id FROM evidence
WHERE retired_change IS NULL AND triple_id IN ({ids})
ORDER BY triple_id, confidence DESC, id
