-- match_norms
-- The names in force, valid everywhere, that have one of the offered normal forms.
SELECT norm, entity_id, origin FROM entity_alias
WHERE retired_change IS NULL AND document_id IS NULL AND norm IN (SELECT norm FROM incoming_norm)

-- types_by_id
-- The types of entities in force, by primary key.
SELECT id, type, type_extractor FROM entity WHERE id IN ({ids}) AND retired_change IS NULL

-- alias_hashes
-- Every name in force that was recorded after a generation, as a hash of its normal form.
SELECT hash(norm) AS hash, entity_id, origin <> 'name' AS is_alias
FROM entity_alias WHERE retired_change IS NULL AND recorded_change > $since

-- retired_aliases
-- How many names were retired after a generation.
SELECT count(*) FROM entity_alias WHERE retired_change > $since

-- hash_norm
-- The hash under which a normal form is kept.
SELECT hash($norm::VARCHAR)

-- entity_heads
-- Names and types of entities in force, by primary key.
SELECT id, name, type FROM entity WHERE id IN ({ids})

-- add_entities
-- New entities, from the offered columns.
INSERT INTO entity
SELECT id, name, norm, type, type_extractor, '', '{}', $now, $change, NULL, NULL FROM incoming_entity

-- name_entities
-- The own name of new entities as their first alias, from the offered columns.
INSERT INTO entity_alias
SELECT id, name, norm, 'name', NULL, $now, $change, NULL, NULL, nullif(said_in, -1) FROM incoming_entity

-- add_aliases
-- Names of entities that they do not have yet, from the offered columns.
INSERT INTO entity_alias
SELECT DISTINCT ON (i.entity_id, i.norm, i.document_id, i.said_in)
       i.entity_id, i.name, i.norm, i.origin, i.document_id, $now, $change, NULL, NULL, i.said_in
FROM (SELECT * REPLACE (nullif(document_id, -1) AS document_id, nullif(said_in, -1) AS said_in)
      FROM incoming_alias) i
WHERE NOT EXISTS (
  SELECT 1 FROM entity_alias a
  WHERE a.entity_id = i.entity_id AND a.norm = i.norm AND a.retired_change IS NULL
    AND (a.document_id IS NULL OR a.document_id = i.document_id)
    AND (a.said_in IS NULL OR a.said_in = i.said_in))

-- retire_names
-- Names of an entity that it has no more, from the offered normal forms.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = $id AND norm IN (SELECT norm FROM forgotten)
  AND (said_in IS NULL OR NOT $declared_only)

-- alias_own_name
-- What was an entity's own name is an alias, taught by whoever taught the name.
INSERT INTO entity_alias
SELECT entity_id, name, norm, 'alias', document_id, $now, $change, NULL, NULL, said_in FROM entity_alias
WHERE retired_change IS NULL AND entity_id = $id AND norm = $norm AND origin = 'name'

-- retire_own_name
-- And no longer its name.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = $id AND norm = $norm AND origin = 'name'

-- add_mentions
-- Spans that name entities, from the offered columns.
INSERT INTO mention
SELECT chunk_id, entity_id, start_offset, end_offset, extractor, $change, name, type, NULL FROM incoming_mention

-- entities_by_id
-- Entities by primary key.
SELECT id, name, type, description, properties FROM entity WHERE id IN ({ids})

-- aliases_of
-- The names of entities.
SELECT DISTINCT entity_id, name FROM entity_alias
WHERE entity_id IN ({ids}) AND retired_change IS NULL ORDER BY entity_id, name

-- degrees_of
-- How many triples in force name each entity.
SELECT entity_id, count(*) FROM (
  SELECT subject_id AS entity_id FROM triple WHERE retired_change IS NULL AND subject_id IN ({ids})
  UNION ALL
  SELECT object_id FROM triple WHERE retired_change IS NULL AND object_id IN ({ids}))
GROUP BY entity_id

-- degrees_then
-- How many triples that held at a moment name each entity.
SELECT entity_id, count(*) FROM (
  SELECT subject_id AS entity_id FROM triple
  WHERE retired_change IS NULL AND subject_id IN ({ids})
    AND coalesce(valid_from <= $as_of, true) AND coalesce($as_of < valid_to, true)
  UNION ALL
  SELECT object_id FROM triple
  WHERE retired_change IS NULL AND object_id IN ({ids})
    AND coalesce(valid_from <= $as_of, true) AND coalesce($as_of < valid_to, true))
GROUP BY entity_id

-- mentions_of
-- How many mentions each entity has.
SELECT entity_id, count(*) FROM mention
WHERE entity_id IN ({ids}) AND retired_change IS NULL GROUP BY entity_id

-- entities_like
-- The entities whose name or alias contains the normal form, or comes close to it, best first.
SELECT e.id, max(CASE WHEN a.norm = $norm THEN 2.0
                      WHEN starts_with(a.norm, $norm) THEN 1.5 + 0.4 * length($norm) / length(a.norm)
                      WHEN contains(a.norm, $norm) THEN 1.0 + 0.4 * length($norm) / length(a.norm)
                      ELSE jaro_winkler_similarity(a.norm, $norm) END) AS score
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IS NULL AND e.retired_change IS NULL
  AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], regexp_replace(lower(e.type), '[\s_-]', '', 'g')))
  AND (contains(a.norm, $norm) OR jaro_winkler_similarity(a.norm, $norm) >= $least)
GROUP BY e.id ORDER BY score DESC, e.id LIMIT $limit

-- entities_of_type
-- The entities in force, the best connected first; all types where NULL.
SELECT e.id, count(t.entity_id) AS degree
FROM entity e
LEFT JOIN (SELECT unnest([subject_id, object_id]) AS entity_id FROM triple WHERE retired_change IS NULL) t
  ON t.entity_id = e.id
WHERE e.retired_change IS NULL
  AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], regexp_replace(lower(e.type), '[\s_-]', '', 'g')))
GROUP BY e.id ORDER BY degree DESC, e.id LIMIT $limit

-- entity_types
-- How many entities in force have each type.
SELECT type, count(*) AS entities FROM entity WHERE retired_change IS NULL GROUP BY type ORDER BY entities DESC, type

-- entity_ids_of_type
-- The entities in force of any of some types.
SELECT id FROM entity
WHERE retired_change IS NULL AND list_contains($types::JSON::VARCHAR[], regexp_replace(lower(type), '[\s_-]', '', 'g'))
ORDER BY id

-- bearers_of
-- The entities that carry a normal form, those of that very name first.
SELECT entity_id, bool_and(origin <> 'name') AS only_alias
FROM entity_alias WHERE retired_change IS NULL AND norm = $norm
GROUP BY entity_id ORDER BY only_alias, entity_id

-- roles_of
-- Which predicates each entity stands before, and behind which.
SELECT DISTINCT subject_id AS entity_id, predicate_id, true AS is_subject
FROM triple WHERE retired_change IS NULL AND subject_id IN ({ids})
UNION ALL
SELECT DISTINCT object_id, predicate_id, false
FROM triple WHERE retired_change IS NULL AND object_id IN ({ids})
