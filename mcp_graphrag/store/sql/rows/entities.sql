-- names_with_forms
-- The names with any of the normal forms, by a scan.
SELECT a.norm, a.entity_id, a.origin <> 'name' AS is_alias, a.document_id IS NOT NULL AS in_document
FROM entity_alias a WHERE a.retired_change IS NULL AND a.norm IN (SELECT norm FROM incoming_norm)

-- types_by_id
-- The types and names of active entities, by primary key.
SELECT id, type, type_extractor, name FROM entity WHERE id IN ({ids}) AND retired_change IS NULL

-- alias_hashes
-- The active names, each as the hash of its normal form.
SELECT alias_hash(a) FROM entity_alias a WHERE retired_change IS NULL

-- alias_changes
-- The names that came after a generation and are active, and those of then that are not.
SELECT alias_hash(a), false AS retired FROM entity_alias a WHERE retired_change IS NULL AND recorded_change > $since
UNION ALL
SELECT alias_hash(a), true FROM entity_alias a WHERE retired_change > $since AND recorded_change <= $since

-- names_of_types
-- The active names of entities of some types, given by their keys, and names such as checkout-api.
STANDARD SELECT a.name, e.type FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IS NULL AND e.retired_change IS NULL AND a.document_id IS NULL
  AND (type_key(e.type) IN FIRST (SELECT unnest($types::JSON::VARCHAR[]))
       OR a.name ~ '^[a-z][a-z0-9]*([-_][a-z0-9]+)+$')
ORDER BY a.entity_id, a.name COLLATE "C" LIMIT $limit

-- entity_labels
-- Names and types of entities, by primary key.
SELECT id, name, type FROM entity WHERE id IN ({ids})

-- add_entities
-- Add entities.
INSERT INTO entity
SELECT id, name, norm, type, type_extractor, '', '{}', $now, $change, NULL, NULL FROM incoming_entity

-- add_entity
-- Add one entity.
INSERT INTO entity VALUES ($id, $name, $norm, $type, $type_extractor, '', '{}', $now, $change, NULL, NULL)

-- commits_named
-- The active commits whose name begins with the first digits of a hash.
SELECT name, id FROM entity
WHERE retired_change IS NULL AND id < 0 AND type = 'Commit' AND starts_with(name, left($digits, length(name)))

-- phrases_named
-- The active phrases with exactly these words.
SELECT e.name, e.id FROM entity e
WHERE e.retired_change IS NULL AND is_phrase(e) AND e.name IN (SELECT name FROM incoming_name)

-- add_own_name
-- Add its own name as its first alias.
INSERT INTO entity_alias VALUES ($id, $name, $norm, 'name', NULL, $now, $change, NULL, NULL, $said_in)

-- add_own_names
-- Add the own name of each new entity as its first alias.
INSERT INTO entity_alias
SELECT id, name, norm, 'name', NULL, $now, $change, NULL, NULL, nullif(said_in, -1) FROM incoming_entity

-- add_aliases
-- Add names of entities that they do not have yet.
INSERT INTO entity_alias
SELECT DISTINCT ON (i.entity_id, i.norm, i.document_id, i.said_in)
       i.entity_id, i.name, i.norm, i.origin, i.document_id, $now, $change, NULL, NULL, i.said_in
FROM (SELECT * REPLACE (nullif(document_id, -1) AS document_id, nullif(said_in, -1) AS said_in)
      FROM incoming_alias) i
WHERE NOT EXISTS (
  SELECT 1 FROM entity_alias a
  WHERE a.entity_id = i.entity_id AND a.norm = i.norm AND a.retired_change IS NULL
    AND a.entity_id IN (SELECT entity_id FROM incoming_alias)
    AND (a.document_id IS NULL OR a.document_id = i.document_id)
    AND (a.said_in IS NULL OR a.said_in = i.said_in))

-- retire_names
-- Retire names of an entity.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = $id AND norm IN (SELECT norm FROM incoming_norm)
  AND (said_in IS NULL OR NOT $declared_only)

-- copy_own_name_to_alias
-- Add an entity's own name as an alias from the same source.
INSERT INTO entity_alias
SELECT entity_id, name, norm, 'alias', document_id, $now, $change, NULL, NULL, said_in FROM entity_alias
WHERE retired_change IS NULL AND entity_id = $id AND norm = $norm AND origin = 'name'

-- retire_own_name
-- Retire the own name of an entity.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = $id AND norm = $norm AND origin = 'name'

-- entities_by_id
-- Entities by primary key.
SELECT id, name, type, description, properties FROM entity WHERE id IN ({ids})

-- aliases_of
-- The names of entities.
SELECT DISTINCT entity_id, name FROM entity_alias
WHERE entity_id IN ({ids}) AND retired_change IS NULL ORDER BY entity_id, name

-- degrees
-- How many active triples name each entity; with a moment, of those that hold then.
SELECT entity_id, count(*) FROM (
  SELECT subject_id AS entity_id FROM triple t
  WHERE retired_change IS NULL AND subject_id IN ({ids}) AND ($as_of IS NULL OR valid_at(t, $as_of))
  UNION ALL
  SELECT object_id FROM triple t
  WHERE retired_change IS NULL AND object_id IN ({ids}) AND ($as_of IS NULL OR valid_at(t, $as_of)))
GROUP BY entity_id

-- mention_counts
-- How many mentions each entity has.
SELECT entity_id, count(*) FROM mention
WHERE entity_id IN ({ids}) AND retired_change IS NULL GROUP BY entity_id

-- qualified_entities
-- The entities whose qualified name, or else another name, ends with a name of several parts; languages join these by
-- ".", "::" or "/".
SELECT DISTINCT id FROM (
  SELECT e.id FROM entity_alias a JOIN entity e ON e.id = a.entity_id
  WHERE a.retired_change IS NULL AND a.document_id IS NULL AND e.retired_change IS NULL
    AND list_contains($types::JSON::VARCHAR[], e.type) AND ends_with('.' || dotted(a.norm), '.' || dotted($norm))
  QUALIFY dense_rank() OVER (ORDER BY a.origin <> 'name') = 1)
ORDER BY id

-- similar_entities
-- The entities with a name that contains the normal form or is similar to it, best first; phrases by their type.
SELECT e.id, max(CASE WHEN a.norm = $norm THEN 2.0
                      WHEN starts_with(a.norm, $norm) THEN 1.5 + 0.4 * length($norm) / length(a.norm)
                      WHEN contains(a.norm, $norm) THEN 1.0 + 0.4 * length($norm) / length(a.norm)
                      ELSE jaro_winkler_similarity(a.norm, $norm) END) AS score
FROM (
  SELECT entity_id, norm FROM entity_alias WHERE retired_change IS NULL
  UNION ALL
  SELECT id, norm FROM entity p WHERE is_phrase(p) AND list_contains($types::JSON::VARCHAR[], 'phrase')) a
JOIN entity e ON e.id = a.entity_id
WHERE e.retired_change IS NULL
  AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], type_key(e.type)))
  AND (contains(a.norm, $norm) OR jaro_winkler_similarity(a.norm, $norm) >= $min_similarity)
GROUP BY e.id ORDER BY score DESC, e.id LIMIT $limit

-- entities_of_type
-- The active entities of some types, best connected first; for NULL of all but phrases.
SELECT e.id, count(t.entity_id) AS degree
FROM entity e
LEFT JOIN (SELECT unnest([subject_id, object_id]) AS entity_id FROM triple WHERE retired_change IS NULL) t
  ON t.entity_id = e.id
WHERE e.retired_change IS NULL
  AND if($types IS NULL, NOT is_phrase(e), list_contains($types::JSON::VARCHAR[], type_key(e.type)))
GROUP BY e.id ORDER BY degree DESC, e.id LIMIT $limit

-- entity_types
-- How many active entities have each type, with or without phrases.
STANDARD SELECT type, count(*) AS entities FROM entity e WHERE retired_change IS NULL AND ($phrases OR NOT is_phrase(e))
GROUP BY type ORDER BY entities DESC, type COLLATE "C"

-- entity_ids_of_type
-- The active entities of some types.
SELECT id FROM entity
WHERE retired_change IS NULL AND list_contains($types::JSON::VARCHAR[], type_key(type))
ORDER BY id

-- roles_of
-- The predicates of which each entity is a subject, of a name, and of which it is an object.
SELECT DISTINCT subject_id AS entity_id, predicate_id, true AS is_subject
FROM triple t WHERE retired_change IS NULL AND subject_id IN ({ids}) AND is_of_names(t)
UNION ALL
SELECT DISTINCT object_id, predicate_id, false
FROM triple WHERE retired_change IS NULL AND object_id IN ({ids})

-- update_entities
-- Update values of entities; NULL leaves one as it is.
UPDATE entity SET
  name = coalesce(i.name, entity.name), norm = coalesce(i.norm, entity.norm), type = coalesce(i.type, entity.type),
  type_extractor = coalesce(i.type_extractor, entity.type_extractor),
  description = coalesce(i.description, entity.description),
  properties = coalesce(i.properties::JSON, entity.properties), recorded_at = $now, recorded_change = $change
FROM incoming_entity i WHERE entity.id = i.id

-- normal_forms
-- Every name with its normal form as it is stored.
SELECT name, norm FROM entity UNION SELECT name, norm FROM entity_alias

-- update_entity_forms
-- Replace the normal forms of the own names of entities.
UPDATE entity SET norm = i.norm FROM incoming_name i WHERE entity.name = i.name

-- update_alias_forms
-- Replace the normal forms of names.
UPDATE entity_alias SET norm = i.norm FROM incoming_name i WHERE entity_alias.name = i.name
