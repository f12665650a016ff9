-- retire_stale_names
-- Retire names of entities that come from retired documents; those that a merge gave stay.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND origin <> 'merge' AND entity_id IN (SELECT id FROM incoming_id)
  AND (said_in IN (SELECT id FROM document WHERE retired_change IS NOT NULL)
       OR document_id IN (SELECT id FROM document WHERE retired_change IS NOT NULL))

-- active_names
-- The active names of entities.
SELECT entity_id, norm, origin, said_in FROM entity_alias
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM incoming_id)

-- active_entities
-- The names and types of active entities; phrases keep theirs.
SELECT id, name, norm, type, type_extractor FROM entity e
WHERE retired_change IS NULL AND NOT is_phrase(e) AND id IN (SELECT id FROM incoming_id)

-- names_in_mentions
-- The names of entities in the mentions of active documents, document by document, the earliest first.
SELECT m.entity_id, m.name, m.type, m.extractor, c.document_id, min(c.id) AS chunk_id,
       arg_min(m.start_offset, c.id) AS start
FROM mention m JOIN chunk c ON c.id = m.chunk_id
WHERE m.retired_change IS NULL AND m.name IS NOT NULL AND m.entity_id IN (SELECT id FROM incoming_id)
  AND c.id IN FIRST (SELECT chunk_id FROM mention WHERE entity_id IN (SELECT id FROM incoming_id))
GROUP BY m.entity_id, m.name, m.type, m.extractor, c.document_id
ORDER BY c.document_id, m.type IS NULL, chunk_id, start, m.name

-- entities_with_stale_names
-- Entities with names from retired documents, left by an interrupted update.
STANDARD SELECT DISTINCT entity_id FROM entity_alias
WHERE retired_change IS NULL AND origin <> 'merge'
  AND said_in IN (SELECT id FROM document WHERE retired_change IS NOT NULL)

-- copy_named_spans
-- Copy the mentions or values by any of the names to another entity.
INSERT INTO {table}
SELECT * REPLACE ($other AS entity_id, $change AS recorded_change) FROM {table}
WHERE retired_change IS NULL AND entity_id = $id AND name IN (SELECT name FROM incoming_name)

-- retire_named_spans
-- Retire them for this entity.
UPDATE {table} SET retired_change = $change
WHERE retired_change IS NULL AND entity_id = $id AND name IN (SELECT name FROM incoming_name)

-- renamed_evidence
-- The active evidence that uses any of the names for an entity, with the triple as it would be for the other entity.
SELECT v.id AS evidence_id, t.id AS triple_id, t.predicate_id,
       if(t.subject_id = $id AND v.subject_name IN (SELECT name FROM incoming_name), $other, t.subject_id)
         AS subject_id,
       if(t.object_id = $id AND v.object_name IN (SELECT name FROM incoming_name), $other, t.object_id) AS object_id,
       t.valid_from, t.valid_to, t.properties, t.confidence
FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.retired_change IS NULL AND t.retired_change IS NULL
  AND ((t.subject_id = $id AND v.subject_name IN (SELECT name FROM incoming_name))
       OR (t.object_id = $id AND v.object_name IN (SELECT name FROM incoming_name)))
  AND t.id IN FIRST (STANDARD SELECT id FROM triple WHERE subject_id = $id OR object_id = $id)
  AND v.triple_id IN FIRST (STANDARD SELECT id FROM triple WHERE subject_id = $id OR object_id = $id)

-- renamed_triples
-- The triples that it would support: stored ones, or new ones.
SELECT s.*, coalesce(t.id, n.id) AS new_id, t.id IS NULL AS is_new
FROM renamed_evidence s
LEFT JOIN triple t
  ON t.retired_change IS NULL AND same_triple(t, s)
LEFT JOIN (
  SELECT nextval('triple_id') AS id, * FROM (
    SELECT DISTINCT subject_id, predicate_id, object_id, valid_from, valid_to FROM renamed_evidence)) n
  ON same_triple(n, s)

-- add_renamed_triples
-- Add the new ones.
INSERT INTO triple
SELECT DISTINCT ON (new_id) new_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties,
       $now, $change, NULL, NULL, NULL
FROM renamed_triple WHERE is_new AND subject_id <> object_id ORDER BY new_id, triple_id

-- copy_renamed_evidence
-- Copy the evidence to them; the other entity's own name is left out.
INSERT INTO evidence
SELECT nextval('evidence_id'), r.new_id, v.chunk_id, v.start_offset, v.end_offset, v.quote, v.extractor, v.confidence,
       v.surface, v.source, $now, $change, NULL, NULL,
       if(r.subject_id = $other, NULL, v.subject_name),
       if(r.object_id = $other, NULL, v.object_name), v.properties, v.said_until
FROM renamed_triple r JOIN evidence v ON v.id = r.evidence_id
WHERE r.subject_id <> r.object_id

-- retire_moved_evidence
-- Retire the evidence that another table names where it was.
UPDATE evidence SET retired_at = $now, retired_change = $change WHERE id IN (SELECT evidence_id FROM {table})

-- names_in_evidence
-- The names in active evidence of entities; evidence without one uses the entity's own.
STANDARD SELECT entity_id, name, min(id) AS first FROM (
  SELECT e.id AS entity_id, coalesce(v.subject_name, e.name) AS name, v.id
  FROM evidence v JOIN triple t ON t.id = v.triple_id JOIN entity e ON e.id = t.subject_id
  WHERE v.retired_change IS NULL AND e.id IN (SELECT id FROM incoming_id)
  UNION ALL
  SELECT e.id, coalesce(v.object_name, e.name), v.id
  FROM evidence v JOIN triple t ON t.id = v.triple_id JOIN entity e ON e.id = t.object_id
  WHERE v.retired_change IS NULL AND e.id IN (SELECT id FROM incoming_id)) named
GROUP BY entity_id, name ORDER BY first
