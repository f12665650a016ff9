-- retire_stale_names
-- Names of the offered entities that a document taught which is no longer in force; what a merge gave outlives it.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND origin <> 'merge' AND entity_id IN (SELECT id FROM candidate)
  AND (said_in IN (SELECT id FROM document WHERE retired_change IS NOT NULL)
       OR document_id IN (SELECT id FROM document WHERE retired_change IS NOT NULL))
RETURNING entity_id

-- names_of_candidates
-- The names in force of the offered entities.
SELECT entity_id, norm, origin, said_in FROM entity_alias
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM candidate)

-- words_of_candidates
-- What the offered entities are called, of those in force.
SELECT id, name, norm, type, type_extractor FROM entity WHERE retired_change IS NULL AND id IN (SELECT id FROM candidate)

-- uses_of_candidates
-- What the offered entities are called in the documents in force: document by document, the earliest first.
SELECT m.entity_id, m.name, m.type, m.extractor, c.document_id, min(c.id) AS chunk_id, arg_min(m.start_offset, c.id) AS start
FROM mention m JOIN chunk c ON c.id = m.chunk_id
WHERE m.retired_change IS NULL AND m.name IS NOT NULL AND m.entity_id IN (SELECT id FROM candidate)
GROUP BY m.entity_id, m.name, m.type, m.extractor, c.document_id
ORDER BY c.document_id, m.type IS NULL, chunk_id, start, m.name

-- stale_names
-- Entities with names that a document taught which is no longer in force: what an interrupted update left.
SELECT DISTINCT entity_id FROM entity_alias
WHERE retired_change IS NULL AND origin <> 'merge'
  AND said_in IN (SELECT id FROM document WHERE retired_change IS NOT NULL)

-- move_spoken_mentions
-- They mention another entity.
INSERT INTO mention
SELECT chunk_id, $other, start_offset, end_offset, extractor, $change, name, type, NULL FROM mention
WHERE retired_change IS NULL AND entity_id = $id AND name IN (SELECT name FROM said)

-- retire_moved_mentions
-- And no longer this one.
UPDATE mention SET retired_change = $change
WHERE retired_change IS NULL AND entity_id = $id AND name IN (SELECT name FROM said) AND recorded_change <> $change

-- said_of
-- Evidence in force that spoke of an entity under one of the offered names, with the triple as it would read.
CREATE OR REPLACE TEMP TABLE spoken AS
SELECT v.id AS evidence_id, t.id AS triple_id,
       CASE WHEN t.subject_id = $id AND v.subject_name IN (SELECT name FROM said) THEN $other ELSE t.subject_id END AS subject_id,
       t.predicate_id,
       CASE WHEN t.object_id = $id AND v.object_name IN (SELECT name FROM said) THEN $other ELSE t.object_id END AS object_id,
       t.valid_from, t.valid_to, t.properties, t.confidence
FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.retired_change IS NULL AND t.retired_change IS NULL
  AND ((t.subject_id = $id AND v.subject_name IN (SELECT name FROM said))
       OR (t.object_id = $id AND v.object_name IN (SELECT name FROM said)))

-- respoken_triples
-- The triples that they would support: known ones, or new ones.
CREATE OR REPLACE TEMP TABLE respoken AS
SELECT s.*, coalesce(t.id, n.id) AS new_id, t.id IS NULL AS is_new
FROM spoken s
LEFT JOIN triple t
  ON t.retired_change IS NULL AND t.subject_id = s.subject_id AND t.predicate_id = s.predicate_id
 AND t.object_id = s.object_id AND t.valid_from IS NOT DISTINCT FROM s.valid_from
 AND t.valid_to IS NOT DISTINCT FROM s.valid_to
LEFT JOIN (
  SELECT nextval('triple_id') AS id, * FROM (
    SELECT DISTINCT subject_id, predicate_id, object_id, valid_from, valid_to FROM spoken)) n
  ON n.subject_id = s.subject_id AND n.predicate_id = s.predicate_id AND n.object_id = s.object_id
 AND n.valid_from IS NOT DISTINCT FROM s.valid_from AND n.valid_to IS NOT DISTINCT FROM s.valid_to

-- add_respoken_triples
-- The new ones.
INSERT INTO triple
SELECT DISTINCT ON (new_id) new_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties,
       $now, $change, NULL, NULL
FROM respoken WHERE is_new AND subject_id <> object_id ORDER BY new_id, triple_id

-- move_spoken_evidence
-- The evidence under its new triple; under its own name an entity needs no other.
INSERT INTO evidence
SELECT nextval('evidence_id'), r.new_id, v.chunk_id, v.start_offset, v.end_offset, v.quote, v.extractor, v.confidence,
       v.surface, v.source, $now, $change, NULL, NULL,
       CASE WHEN r.subject_id = $other THEN NULL ELSE v.subject_name END,
       CASE WHEN r.object_id = $other THEN NULL ELSE v.object_name END, v.properties
FROM respoken r JOIN evidence v ON v.id = r.evidence_id
WHERE r.subject_id <> r.object_id

-- retire_spoken_evidence
-- It no longer supports the old one.
UPDATE evidence SET retired_at = $now, retired_change = $change WHERE id IN (SELECT evidence_id FROM respoken)

-- spoken_names_of_candidates
-- Names under which evidence in force speaks of the offered entities, where those are not their own.
SELECT entity_id, name, min(id) AS first FROM (
  SELECT t.subject_id AS entity_id, v.subject_name AS name, v.id
  FROM evidence v JOIN triple t ON t.id = v.triple_id
  WHERE v.retired_change IS NULL AND v.subject_name IS NOT NULL AND t.subject_id IN (SELECT id FROM candidate)
  UNION ALL
  SELECT t.object_id, v.object_name, v.id
  FROM evidence v JOIN triple t ON t.id = v.triple_id
  WHERE v.retired_change IS NULL AND v.object_name IS NOT NULL AND t.object_id IN (SELECT id FROM candidate))
GROUP BY entity_id, name ORDER BY first
