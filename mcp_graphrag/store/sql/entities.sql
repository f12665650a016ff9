-- match_norms
-- The entities in force that carry one of the offered normal forms, as name or alias valid everywhere.
SELECT a.norm, e.id, e.type, e.type_extractor, a.origin
FROM entity_alias a
JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IS NULL AND e.retired_change IS NULL AND a.document_id IS NULL
  AND a.norm IN (SELECT norm FROM incoming_norm)
ORDER BY a.norm, a.origin <> 'name', e.id

-- named
-- The entities in force of one normal form, those of that very name first; aliases of one document included.
SELECT e.id, min(a.origin <> 'name') AS by_alias
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IS NULL AND e.retired_change IS NULL AND a.norm = $norm
GROUP BY e.id ORDER BY by_alias, e.id

-- add_entities
-- New entities, from the offered columns.
INSERT INTO entity
SELECT id, name, norm, type, type_extractor, '', '{}', $now, $change, NULL, NULL FROM incoming_entity

-- name_entities
-- The own name of new entities as their first alias, from the offered columns.
INSERT INTO entity_alias SELECT id, name, norm, 'name', NULL, $now, $change, NULL, NULL FROM incoming_entity

-- add_aliases
-- Names of entities that they do not have yet, from the offered columns.
INSERT INTO entity_alias
SELECT DISTINCT ON (i.entity_id, i.norm, i.document_id)
       i.entity_id, i.name, i.norm, i.origin, i.document_id, $now, $change, NULL, NULL
FROM (SELECT * REPLACE (nullif(document_id, -1) AS document_id) FROM incoming_alias) i
WHERE NOT EXISTS (
  SELECT 1 FROM entity_alias a
  WHERE a.entity_id = i.entity_id AND a.norm = i.norm AND a.retired_change IS NULL
    AND (a.document_id IS NULL OR a.document_id = i.document_id))

-- type_entities
-- A better founded type replaces a guessed one, from the offered columns.
UPDATE entity SET type = i.type, type_extractor = i.type_extractor
FROM incoming_type i WHERE entity.id = i.id

-- add_mentions
-- Spans that name entities, from the offered columns.
INSERT INTO mention SELECT chunk_id, entity_id, start_offset, end_offset, extractor, $change FROM incoming_mention

-- entities_by_id
-- Entities with their aliases, degree and mentions.
SELECT e.id, e.name, e.type,
       (SELECT list(DISTINCT a.name ORDER BY a.name) FROM entity_alias a
        WHERE a.entity_id = e.id AND a.retired_change IS NULL AND a.name <> e.name) AS aliases,
       e.description, coalesce(t.degree, 0) AS degree, coalesce(m.mentions, 0) AS mentions
FROM entity e
LEFT JOIN (
  SELECT entity_id, count(*) AS degree
  FROM (SELECT subject_id AS entity_id FROM triple
        WHERE retired_change IS NULL AND subject_id IN (SELECT unnest($ids::BIGINT[]))
        UNION ALL
        SELECT object_id FROM triple WHERE retired_change IS NULL AND object_id IN (SELECT unnest($ids::BIGINT[])))
  GROUP BY entity_id
) t ON t.entity_id = e.id
LEFT JOIN (
  SELECT entity_id, count(*) AS mentions FROM mention
  WHERE entity_id IN (SELECT unnest($ids::BIGINT[])) GROUP BY entity_id
) m ON m.entity_id = e.id
WHERE e.id IN (SELECT unnest($ids::BIGINT[]))

-- entities_like
-- The entities whose name or alias contains the normal form, or comes close to it, best first.
SELECT e.id, max(CASE WHEN a.norm = $norm THEN 2.0
                      WHEN starts_with(a.norm, $norm) THEN 1.5 + 0.4 * length($norm) / length(a.norm)
                      WHEN contains(a.norm, $norm) THEN 1.0 + 0.4 * length($norm) / length(a.norm)
                      ELSE jaro_winkler_similarity(a.norm, $norm) END) AS score
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IS NULL AND e.retired_change IS NULL
  AND ($type IS NULL OR regexp_replace(lower(e.type), '[\s_-]', '', 'g') = $type)
  AND (contains(a.norm, $norm) OR jaro_winkler_similarity(a.norm, $norm) >= $least)
GROUP BY e.id ORDER BY score DESC, e.id LIMIT $limit

-- entities_of_type
-- The entities in force, the best connected first; all types where NULL.
SELECT e.id, count(t.entity_id) AS degree
FROM entity e
LEFT JOIN (SELECT unnest([subject_id, object_id]) AS entity_id FROM triple WHERE retired_change IS NULL) t
  ON t.entity_id = e.id
WHERE e.retired_change IS NULL
  AND ($type IS NULL OR regexp_replace(lower(e.type), '[\s_-]', '', 'g') = $type)
GROUP BY e.id ORDER BY degree DESC, e.id LIMIT $limit

-- entity_types
-- How many entities in force have each type.
SELECT type, count(*) AS entities FROM entity WHERE retired_change IS NULL GROUP BY type ORDER BY entities DESC, type

-- entity_names
-- Every entity in force with its name and type, by id.
SELECT id, name, type FROM entity WHERE retired_change IS NULL AND id > $after ORDER BY id
