-- add_values
-- Add values, those of a predicate beside each other: equal headings have like values, which take a third of the room.
INSERT INTO entity_value
SELECT chunk_id, entity_id, predicate_id, value, nullif(number, 'nan'::DOUBLE), moment, start, "end", $extractor,
       confidence, surface, name, $change, NULL
FROM incoming_value ORDER BY predicate_id, position

-- match_values
-- A page of the active values that match a pattern, in reading order.
SELECT value_columns(v, c)
FROM entity_value v JOIN change c ON c.id = v.recorded_change
WHERE value_matches(v)
ORDER BY v.chunk_id, v.start_offset LIMIT $limit OFFSET $after

-- retire_values
-- Retire the active values that match a pattern.
UPDATE entity_value v SET retired_change = $change WHERE value_matches(v)

-- purge_values
-- Delete the values of a pattern for good, those out of force too.
DELETE FROM entity_value v WHERE {subjects} AND {predicates} AND {documents} AND lower(v.value) = lower($text)

-- count_values
-- How many active values match a pattern.
SELECT count(*) FROM entity_value v WHERE value_matches(v)

-- first_values
-- The first values of entities in words, long ones cut, with the number of all of each entity.
SELECT entity_id, list(name || ' ' || if(length(value) > 60, value[1:60] || '…', value) ORDER BY place)[1:$limit],
       count(*)
FROM (
  SELECT entity_id, predicate_id, value, min((chunk_id, start_offset)) AS place FROM entity_value v
  WHERE retired_change IS NULL AND {subjects} AND {predicates} AND {documents} GROUP BY ALL)
JOIN predicate ON id = predicate_id GROUP BY entity_id

-- value_counts
-- How many active values each predicate has, most frequent first.
SELECT p.name, count(*) AS stated FROM entity_value v JOIN predicate p ON p.id = v.predicate_id
WHERE v.retired_change IS NULL GROUP BY p.name ORDER BY stated DESC, p.name

-- chunks_of_tables
-- The active chunks recorded after a generation of documents with over a hundred, of which nine in ten state values.
STANDARD WITH large AS (
  SELECT document_id FROM chunk WHERE retired_change IS NULL AND recorded_change > $since
  GROUP BY document_id HAVING count(*) > 100),
pieces AS (
  SELECT id, document_id, parent_id FROM chunk WHERE retired_change IS NULL AND document_id IN (SELECT document_id FROM large)),
tables AS (
  SELECT document_id FROM pieces WHERE parent_id IS NULL GROUP BY document_id
  HAVING count(*) FILTER (WHERE id IN (
    SELECT chunk_id FROM entity_value WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM pieces)))
    > 0.9 * count(*))
SELECT id FROM pieces WHERE document_id IN (SELECT document_id FROM tables)
