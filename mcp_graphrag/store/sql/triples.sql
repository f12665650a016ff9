-- predicates
-- Every predicate by name.
SELECT name, id FROM predicate ORDER BY id

-- add_predicate
-- One predicate.
INSERT INTO predicate VALUES ($id, $name, $description, $change)

-- match_triples
-- The triple in force that says the same, for each offered row; identity takes NULL times as equal.
CREATE OR REPLACE TEMP TABLE matched AS
SELECT i.position, t.id AS triple_id, i.subject_id, i.predicate_id, i.object_id, i.valid_from, i.valid_to
FROM incoming_triple i
LEFT JOIN (SELECT * FROM triple WHERE retired_change IS NULL) t
  ON t.subject_id = i.subject_id AND t.predicate_id = i.predicate_id AND t.object_id = i.object_id
 AND t.valid_from IS NOT DISTINCT FROM i.valid_from AND t.valid_to IS NOT DISTINCT FROM i.valid_to

-- new_triples
-- Ids for what no triple in force says yet, once for each identity.
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT nextval('triple_id') AS id, subject_id, predicate_id, object_id, valid_from, valid_to, first_position
FROM (
  SELECT subject_id, predicate_id, object_id, valid_from, valid_to, min(position) AS first_position
  FROM matched WHERE triple_id IS NULL
  GROUP BY ALL ORDER BY first_position)

-- add_triples
-- The new triples; metadata is that of their first row, confidence their best.
INSERT INTO triple
SELECT f.id, f.subject_id, f.predicate_id, f.object_id, 0, f.valid_from, f.valid_to, i.metadata,
       $now, $change, NULL, NULL
FROM fresh f JOIN incoming_triple i ON i.position = f.first_position
ORDER BY f.id

-- place_triples
-- The triple of each offered row, new or known.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT m.position, coalesce(m.triple_id, f.id) AS triple_id, m.triple_id IS NULL AS is_new
FROM matched m
LEFT JOIN fresh f
  ON f.subject_id = m.subject_id AND f.predicate_id = m.predicate_id
 AND f.object_id = m.object_id AND f.valid_from IS NOT DISTINCT FROM m.valid_from
 AND f.valid_to IS NOT DISTINCT FROM m.valid_to

-- find_new_evidence
-- The evidence of the offered rows that is not stored yet.
CREATE OR REPLACE TEMP TABLE fresh_evidence AS
SELECT e.*
FROM (
  SELECT DISTINCT ON (p.triple_id, i.chunk_id, i.start_offset, i.end_offset, i.quote, i.source) p.triple_id, i.*
  FROM (SELECT * REPLACE (nullif(chunk_id, -1) AS chunk_id, nullif(start_offset, -1) AS start_offset,
                          nullif(end_offset, -1) AS end_offset) FROM incoming_triple) i
  JOIN placed p USING (position)
  ORDER BY i.position) e
WHERE NOT EXISTS (
  SELECT 1 FROM evidence v
  WHERE v.triple_id = e.triple_id AND v.retired_change IS NULL AND v.extractor = $extractor
    AND v.chunk_id IS NOT DISTINCT FROM e.chunk_id AND v.start_offset IS NOT DISTINCT FROM e.start_offset
    AND v.end_offset IS NOT DISTINCT FROM e.end_offset AND v.quote IS NOT DISTINCT FROM e.quote
    AND v.source IS NOT DISTINCT FROM e.source)

-- count_new_evidence
-- How much of it there is.
SELECT count(*) FROM fresh_evidence

-- add_evidence
-- Store it, next to what supports the same triple.
INSERT INTO evidence
SELECT nextval('evidence_id'), triple_id, chunk_id, start_offset, end_offset, quote, $extractor, confidence, surface,
       source, $now, $change, NULL, NULL
FROM (FROM fresh_evidence ORDER BY triple_id, position)

-- raise_confidence
-- A triple is as sure as its best evidence.
UPDATE triple SET confidence = best.confidence
FROM (SELECT triple_id, max(confidence) AS confidence FROM evidence
      WHERE retired_change IS NULL AND triple_id IN (SELECT triple_id FROM placed) GROUP BY triple_id) best
WHERE triple.id = best.triple_id AND triple.confidence <> best.confidence

-- placed_triples
-- The triple of each offered row in the order they were offered.
SELECT triple_id, is_new FROM placed ORDER BY position

-- triples_by_id
-- Triples with names, by id.
SELECT t.id, t.subject_id, s.name AS subject, s.type AS subject_type, p.name AS predicate,
       t.object_id, o.name AS "object", o.type AS object_type, t.confidence, t.properties,
       t.valid_from, t.valid_to, t.recorded_at, t.retired_at
FROM triple t
JOIN entity s ON s.id = t.subject_id
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
WHERE t.id IN (SELECT unnest($ids::BIGINT[]))

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
  AND ($subject_type IS NULL OR regexp_replace(lower(s.type), '[\s_-]', '', 'g') = $subject_type)
  AND ($object_type IS NULL OR regexp_replace(lower(o.type), '[\s_-]', '', 'g') = $object_type)
ORDER BY t.id LIMIT $limit

-- evidence_of
-- Why triples are believed, the surest first.
SELECT v.triple_id, v.start_offset, v.end_offset, coalesce(v.quote, ''), v.extractor, v.confidence, v.surface,
       coalesce(v.source, d.source, ''), d.uri, c.start_offset, c.end_offset, c.sha256, v.chunk_id
FROM evidence v
LEFT JOIN chunk c ON c.id = v.chunk_id
LEFT JOIN document d ON d.id = c.document_id
WHERE v.triple_id IN (SELECT unnest($ids::BIGINT[])) AND v.retired_change IS NULL
ORDER BY v.triple_id, v.confidence DESC, v.id

-- predicate_counts
-- How many triples in force each predicate has.
SELECT p.name, count(*) AS triples
FROM triple t JOIN predicate p ON p.id = t.predicate_id
WHERE t.retired_change IS NULL
GROUP BY p.name ORDER BY triples DESC, p.name

-- extractor_counts
-- How much evidence in force each extractor has given.
SELECT extractor, count(*) AS evidence FROM evidence WHERE retired_change IS NULL GROUP BY extractor ORDER BY evidence DESC

-- graph_rows
-- The triples in force, by id, for the resident graph.
SELECT id, subject_id, predicate_id, object_id, confidence
FROM triple WHERE retired_change IS NULL ORDER BY id

-- graph_rows_since
-- What was recorded or retired after a generation.
SELECT id, subject_id, predicate_id, object_id, confidence, retired_change IS NOT NULL AS retired
FROM triple WHERE recorded_change > $since OR retired_change > $since ORDER BY id

-- clear_graph
-- Remove every triple and entity for good.
DELETE FROM evidence; DELETE FROM triple; DELETE FROM mention; DELETE FROM entity_alias; DELETE FROM entity;
DELETE FROM predicate; DELETE FROM extraction

-- clear_documents
-- Remove every document with all that derives from it, for good.
DELETE FROM posting; DELETE FROM chunk_length; DELETE FROM term; DELETE FROM chunk;
DELETE FROM document; DELETE FROM job_item; DELETE FROM job
