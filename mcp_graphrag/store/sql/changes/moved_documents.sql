-- entities_of_same_names
-- The entities that have the name of any of these as their own, with the key of their type.
SELECT id, name, norm, type_key(type), type_extractor FROM entity e
WHERE retired_change IS NULL AND NOT is_phrase(e)
  AND norm IN FIRST (SELECT norm FROM entity WHERE id IN (SELECT id FROM incoming_id))

-- has_titles_in_brackets
-- Whether any title is like "Name (1962 film)".
STANDARD SELECT EXISTS (SELECT 1 FROM document WHERE retired_change IS NULL AND title LIKE '%_ (%)')

-- names_told_apart_by_titles
-- The names of any of these entities that titles tell apart.
WITH wanted AS (SELECT norm FROM entity WHERE id IN (SELECT id FROM incoming_id))
told_apart_by_titles(wanted)

-- documents_of_entities
-- The documents that mention entities: whether as persons, whether they did before this change, and by which names.
SELECT m.entity_id, c.document_id, coalesce(bool_or(type_key(m.type) IN ('person', 'per')), false) AS as_person,
       bool_or(m.recorded_change <> $change) AS was_known,
       coalesce(list_sort(list(DISTINCT m.name) FILTER (m.name IS NOT NULL)), []) AS names
FROM mention m JOIN chunk c ON c.id = m.chunk_id
WHERE m.retired_change IS NULL AND m.entity_id IN ({ids})
  AND c.id IN FIRST (SELECT chunk_id FROM mention WHERE retired_change IS NULL AND entity_id IN ({ids}))
GROUP BY m.entity_id, c.document_id

-- has_decided_entities
-- Whether any entities were merged or kept apart.
SELECT EXISTS (FROM merge) OR EXISTS (FROM distinct_pair)

-- decided_entities
-- Those of the entities that were merged, split or kept apart on request; whether their name was decided to be one.
SELECT i.id, EXISTS (
  SELECT 1 FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity o ON o.id = m.merged_id
  WHERE m.retired_change IS NULL AND m.kept_id = i.id AND k.norm = o.norm
    AND k.id IN FIRST (SELECT kept_id FROM merge) AND o.id IN FIRST (SELECT merged_id FROM merge)) AS is_one
FROM incoming_id i
WHERE i.id IN (SELECT unnest([kept_id, merged_id]) FROM merge)
   OR i.id IN (SELECT unnest([entity_id, other_id]) FROM distinct_pair WHERE retired_change IS NULL)

-- passages_naming
-- The first passages of each document that mention entities, with the position of the name in each.
SELECT m.entity_id, c.document_id, d.uri, d.title, d.source, m.name,
       substring(c.text, greatest(m.start_offset - c.start_offset - $near, 0) + 1, 2 * $near + length(m.name)) AS passage,
       least(m.start_offset - c.start_offset, $near) AS position
FROM mention m JOIN chunk c ON c.id = m.chunk_id JOIN document d ON d.id = c.document_id
WHERE m.retired_change IS NULL AND m.name IS NOT NULL AND m.entity_id IN (SELECT id FROM incoming_id)
  AND c.id IN FIRST (SELECT chunk_id FROM mention WHERE entity_id IN (SELECT id FROM incoming_id))
QUALIFY row_number() OVER (PARTITION BY m.entity_id, c.document_id ORDER BY c.id, m.start_offset) <= $limit
ORDER BY c.document_id, c.id, m.start_offset

-- names_beside
-- The names of others in chunks that mention entities, with the document and a type.
SELECT DISTINCT m.entity_id, c.document_id, o.name, type_key(o.type) AS type
FROM (SELECT DISTINCT entity_id, chunk_id FROM mention
      WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM incoming_id)) m
JOIN mention o ON o.chunk_id = m.chunk_id AND o.entity_id <> m.entity_id
JOIN chunk c ON c.id = m.chunk_id
WHERE o.retired_change IS NULL AND o.name IS NOT NULL
  AND o.chunk_id IN FIRST (SELECT chunk_id FROM mention WHERE entity_id IN (SELECT id FROM incoming_id))
  AND c.id IN FIRST (SELECT chunk_id FROM mention WHERE entity_id IN (SELECT id FROM incoming_id))

-- copy_moved_spans
-- Copy the mentions or values of entities in documents to other entities.
INSERT INTO {table}
SELECT m.* REPLACE (i.other_id AS entity_id, $change AS recorded_change)
FROM incoming_move i JOIN {table} m ON m.entity_id = i.entity_id
JOIN chunk c ON c.id = m.chunk_id AND c.document_id = i.document_id
WHERE m.retired_change IS NULL

-- retire_moved_spans
-- Retire them where they were.
UPDATE {table} SET retired_change = $change
FROM incoming_move i, chunk c
WHERE {table}.retired_change IS NULL AND {table}.entity_id = i.entity_id
  AND c.id = {table}.chunk_id AND c.document_id = i.document_id

-- copy_moved_names
-- Copy the names that entities have from documents to other entities, own names apart.
INSERT INTO entity_alias
SELECT i.other_id, a.name, a.norm, a.origin, a.document_id, $now, $change, NULL, NULL, a.said_in
FROM incoming_move i JOIN entity_alias a ON a.entity_id = i.entity_id AND a.said_in = i.document_id
WHERE a.retired_change IS NULL AND a.origin <> 'name'

-- retire_moved_names
-- Retire them where they were.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
FROM incoming_move i
WHERE entity_alias.retired_change IS NULL AND entity_alias.entity_id = i.entity_id
  AND entity_alias.said_in = i.document_id

-- moved_evidence
-- The active evidence from the documents for the entities, with the triple as it would be for the others.
SELECT v.id AS evidence_id, t.id AS triple_id, t.predicate_id, coalesce(s.other_id, t.subject_id) AS subject_id,
       coalesce(o.other_id, t.object_id) AS object_id, t.valid_from, t.valid_to, t.properties, t.confidence
FROM triple t JOIN evidence v ON v.triple_id = t.id JOIN chunk c ON c.id = v.chunk_id
LEFT JOIN incoming_move s ON s.entity_id = t.subject_id AND s.document_id = c.document_id
LEFT JOIN incoming_move o ON o.entity_id = t.object_id AND o.document_id = c.document_id
WHERE v.retired_change IS NULL AND t.retired_change IS NULL AND (s.other_id IS NOT NULL OR o.other_id IS NOT NULL)
  AND c.document_id IN (SELECT document_id FROM incoming_move)
  AND v.chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id IN (SELECT document_id FROM incoming_move))
  AND t.id IN FIRST (
    SELECT triple_id FROM evidence
    WHERE chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id IN (SELECT document_id FROM incoming_move)))

-- titles_mentioning
-- The titles of the first documents that mention each of the entities.
SELECT m.entity_id, d.title
FROM mention m JOIN chunk c ON c.id = m.chunk_id JOIN document d ON d.id = c.document_id
WHERE m.retired_change IS NULL AND m.entity_id IN ({ids})
  AND c.id IN FIRST (SELECT chunk_id FROM mention WHERE retired_change IS NULL AND entity_id IN ({ids}))
GROUP BY m.entity_id, d.id, d.title
QUALIFY row_number() OVER (PARTITION BY m.entity_id ORDER BY d.id) <= $limit
ORDER BY m.entity_id, d.id

-- entities_beside_chunks
-- The entities that the documents of chunks mention.
STANDARD SELECT DISTINCT k.id, m.entity_id
FROM chunk k JOIN chunk c ON c.document_id = k.document_id JOIN mention m ON m.chunk_id = c.id
WHERE k.id IN ({ids}) AND m.retired_change IS NULL
