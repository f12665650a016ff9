-- nodes_named
-- The ids of the entities with a name or alias, of phrases with the words, and of the documents with a title, which
-- follow `first_document`.
SELECT a.entity_id FROM entity_alias a WHERE a.name = $name AND a.retired_change IS NULL AND a.document_id IS NULL
UNION SELECT e.id FROM entity e WHERE e.name = $name AND e.retired_change IS NULL AND is_phrase(e)
UNION SELECT $first_document::BIGINT + d.id FROM document d WHERE d.title = $name AND d.retired_change IS NULL

-- metadata_keys
-- The names of the metadata of documents.
SELECT DISTINCT unnest(json_keys(metadata)) FROM document WHERE retired_change IS NULL

-- property_names
-- The names of the properties of entities of some types, NULL for all: those that documents state, most frequent first,
-- then those that were given.
SELECT name FROM (
  SELECT p.name, count(*) AS total FROM entity_value v JOIN predicate p ON p.id = v.predicate_id
  JOIN entity e ON e.id = v.entity_id
  WHERE v.retired_change IS NULL AND e.retired_change IS NULL AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], e.type))
  GROUP BY p.name
  UNION ALL SELECT k, count(*) FROM (
    SELECT unnest(json_keys(properties)) AS k FROM entity
    WHERE retired_change IS NULL AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], type))) GROUP BY k
  UNION ALL SELECT 'description', count(*) FROM entity
  WHERE description <> '' AND retired_change IS NULL AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], type))
  HAVING count(*) > 0)
GROUP BY name ORDER BY sum(total) DESC, name LIMIT 100

-- stated_kinds
-- The kinds of the values that documents state of entities by a predicate: how many, of which type, and one of them.
SELECT CASE WHEN are > 1 THEN 'a list' WHEN is_number THEN 'a number' ELSE 'text' END AS kind, count(*) AS total, e.type,
       min(one)
FROM (
  SELECT v.entity_id, count(DISTINCT v.value) AS are,
         bool_and(TRY_CAST(replace(v.value, ',', '') AS DOUBLE) IS NOT NULL) AS is_number,
         min(coalesce(strftime(v.moment, '%Y-%m-%d'), v.value)) AS one
  FROM entity_value v WHERE v.predicate_id = $predicate AND v.retired_change IS NULL GROUP BY v.entity_id)
JOIN entity e ON e.id = entity_id WHERE e.retired_change IS NULL GROUP BY kind, e.type ORDER BY total DESC, kind, e.type

-- given_kinds
-- The same of a property that was given to entities.
SELECT CASE json_type(j) WHEN 'VARCHAR' THEN 'text' WHEN 'ARRAY' THEN 'a list' WHEN 'BOOLEAN' THEN 'boolean'
         WHEN 'OBJECT' THEN 'a map' ELSE 'a number' END AS kind, count(*) AS total, type, min(j->>'$')
FROM (SELECT json_extract(properties, $path) AS j, type FROM entity WHERE retired_change IS NULL)
WHERE j IS NOT NULL GROUP BY kind, type ORDER BY total DESC, kind, type
