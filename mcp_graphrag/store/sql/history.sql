-- keep_words_of_entities
-- What entities were called before they are reworded, unless they are as new as this change.
INSERT INTO past
SELECT 'entity', e.id, e.recorded_at, e.recorded_change, $now, $change,
       json_object('name', e.name, 'norm', e.norm, 'type', e.type, 'type_extractor', e.type_extractor,
                   'description', e.description, 'properties', e.properties)
FROM entity e WHERE e.id IN (SELECT id FROM incoming_words) AND e.recorded_change <> $change

-- reword_entities
-- Other words for entities, from the offered columns; NULL leaves a word as it is.
UPDATE entity SET
  name = coalesce(i.name, entity.name), norm = coalesce(i.norm, entity.norm), type = coalesce(i.type, entity.type),
  type_extractor = coalesce(i.type_extractor, entity.type_extractor),
  description = coalesce(i.description, entity.description),
  properties = coalesce(i.properties::JSON, entity.properties), recorded_at = $now, recorded_change = $change
FROM incoming_words i WHERE entity.id = i.id

-- keep_words_of_document
-- What was said of a document before it is described anew, unless it is as new as this change.
INSERT INTO past
SELECT 'document', id, recorded_at, recorded_change, $now, $change,
       json_object('title', title, 'source', source, 'metadata', metadata)
FROM document WHERE id = $id AND recorded_change <> $change

-- begin_revert
-- The changes to take back.
CREATE OR REPLACE TEMP TABLE reverted AS SELECT unnest($changes::BIGINT[]) AS change_id

-- to_restore
-- Rows that the reverted changes have retired, and had not recorded themselves; or an undo since, of what brought back.
CREATE OR REPLACE TEMP TABLE restored AS
SELECT '{table}' AS kind, id FROM {table}
WHERE {condition} AND recorded_change NOT IN (FROM reverted) AND (
  retired_change IN (FROM reverted)
  OR (retired_change IN (SELECT by_change FROM undone)
      AND id IN (SELECT id FROM past WHERE kind = '{table}' AND retired_change IN (FROM reverted)
                 AND recorded_change NOT IN (FROM reverted))))

-- words_to_restore
-- The oldest words that the reverted changes replaced.
SELECT kind, id, arg_min(was, recorded_change) AS was
FROM past WHERE was IS NOT NULL AND retired_change IN (FROM reverted)
GROUP BY kind, id

-- restore_documents_words
-- What a document was said to be before.
UPDATE document SET title = $was::JSON->>'$.title', source = $was::JSON->>'$.source',
  metadata = ($was::JSON->>'$.metadata')::JSON, recorded_at = $now, recorded_change = $change WHERE id = $id

-- recorded_by
-- Rows in force that the reverted changes have written, or brought back since.
CREATE OR REPLACE TEMP TABLE recorded AS
SELECT '{table}' AS kind, id FROM {table} WHERE retired_change IS NULL AND (
  recorded_change IN (FROM reverted)
  OR id IN (SELECT id FROM past WHERE kind = '{table}' AND recorded_change IN (FROM reverted)))

-- retire_recorded
-- They are no longer in force.
UPDATE {table} SET retired_at = $now, retired_change = $change WHERE id IN (SELECT id FROM recorded)

-- retire_recorded_rows
-- Rows without an id that the reverted changes have written, or copies of them that an undo wrote, are out of force.
UPDATE {table} SET {stamp}
WHERE retired_change IS NULL AND (
  recorded_change IN (FROM reverted)
  OR (recorded_change IN (SELECT by_change FROM undone)
      AND ({columns}) IN (SELECT ({columns}) FROM {table} WHERE recorded_change IN (FROM reverted))))

-- keep_interval
-- The interval of rows that come back into force; entities and documents with the words they had.
INSERT INTO past
SELECT '{table}', id, recorded_at, recorded_change, retired_at, retired_change, {was}
FROM {table} WHERE id IN (SELECT id FROM restored)

-- restore
-- What the reverted changes have retired is in force again.
UPDATE {table} SET recorded_at = $now, recorded_change = $change, retired_at = NULL, retired_change = NULL
WHERE id IN (SELECT id FROM restored)

-- restore_aliases
-- Names that the reverted changes have retired, as fresh rows.
INSERT INTO entity_alias
SELECT a.entity_id, a.name, a.norm, a.origin, a.document_id, $now, $change, NULL, NULL, a.said_in
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IN (FROM reverted) AND a.recorded_change NOT IN (FROM reverted) AND e.retired_change IS NULL

-- restore_mentions
-- Mentions that the reverted changes have retired, as fresh rows.
INSERT INTO mention
SELECT m.chunk_id, m.entity_id, m.start_offset, m.end_offset, m.extractor, $change, m.name, m.type, NULL
FROM mention m JOIN chunk c ON c.id = m.chunk_id JOIN entity e ON e.id = m.entity_id
WHERE m.retired_change IN (FROM reverted) AND m.recorded_change NOT IN (FROM reverted) AND c.retired_change IS NULL AND e.retired_change IS NULL

-- restore_pairs
-- Pairs known to be two things, as fresh rows.
INSERT INTO distinct_pair
SELECT entity_id, other_id, reason, $now, $change, NULL, NULL
FROM distinct_pair WHERE retired_change IN (FROM reverted) AND recorded_change NOT IN (FROM reverted)

-- restore_ontologies
-- Vocabularies that the reverted changes have retired, as fresh rows.
INSERT INTO ontology
SELECT name, body, $now, $change, NULL, NULL FROM ontology WHERE retired_change IN (FROM reverted) AND recorded_change NOT IN (FROM reverted)

-- mark_undone
-- Changes that are taken back, and by which.
INSERT INTO undone SELECT change_id, $change FROM reverted

-- last_operations
-- The operations that can be undone, the newest first: no derived rows, none undone, no undo.
SELECT min(id), list(id ORDER BY id) AS changes, min(recorded_at), any_value(client), any_value(tool)
FROM change
WHERE tool NOT IN ('undo', 'embed', 'reindex', 'communities', 'purge', 'clear') AND id NOT IN (SELECT change_id FROM undone)
GROUP BY operation ORDER BY max(id) DESC LIMIT $limit

-- last_purge
-- The newest change that removed something for good: what was before it cannot come back.
SELECT max(id) FROM change WHERE tool IN ('purge', 'clear')

-- touched_by
-- Entities of the triples and mentions that a change has written or retired.
SELECT DISTINCT entity_id FROM (
  SELECT unnest([subject_id, object_id]) AS entity_id FROM triple
  WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT entity_id FROM mention WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT entity_id FROM entity_alias WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT id FROM entity WHERE recorded_change = $change OR retired_change = $change)

-- retire_orphans
-- Entities of those offered that nothing mentions, no triple names and nobody declared.
UPDATE entity SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND id IN (SELECT id FROM candidate)
  AND id NOT IN (SELECT entity_id FROM mention WHERE retired_change IS NULL)
  AND id NOT IN (SELECT subject_id FROM triple WHERE retired_change IS NULL)
  AND id NOT IN (SELECT object_id FROM triple WHERE retired_change IS NULL)
  AND id NOT IN (SELECT entity_id FROM entity_alias WHERE retired_change IS NULL AND said_in IS NULL)
RETURNING id

-- retire_names_of_retired
-- Entities out of force have no names in force.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM entity WHERE retired_change = $change)

-- orphans
-- Entities in force that nothing mentions, no triple names and nobody declared.
SELECT id FROM entity
WHERE retired_change IS NULL
  AND id NOT IN (SELECT entity_id FROM mention WHERE retired_change IS NULL)
  AND id NOT IN (SELECT subject_id FROM triple WHERE retired_change IS NULL)
  AND id NOT IN (SELECT object_id FROM triple WHERE retired_change IS NULL)
  AND id NOT IN (SELECT entity_id FROM entity_alias WHERE retired_change IS NULL AND said_in IS NULL)

-- known_between
-- Triples known at the one generation and not at the other, unless the same was said in another row.
WITH spans AS (
  SELECT id, recorded_change, retired_change FROM triple
  UNION ALL SELECT id, recorded_change, retired_change FROM past WHERE kind = 'triple'),
here AS (SELECT DISTINCT id FROM spans WHERE recorded_change <= $at AND (retired_change IS NULL OR retired_change > $at)),
there AS (SELECT DISTINCT id FROM spans
          WHERE recorded_change <= $against AND (retired_change IS NULL OR retired_change > $against)),
only_here AS (SELECT t.* FROM triple t WHERE id IN (SELECT id FROM here) AND id NOT IN (SELECT id FROM there)),
only_there AS (SELECT t.* FROM triple t WHERE id IN (SELECT id FROM there) AND id NOT IN (SELECT id FROM here))
SELECT h.id FROM only_here h
WHERE NOT EXISTS (
  SELECT 1 FROM only_there o
  WHERE o.subject_id = h.subject_id AND o.predicate_id = h.predicate_id AND o.object_id = h.object_id
    AND o.valid_from IS NOT DISTINCT FROM h.valid_from AND o.valid_to IS NOT DISTINCT FROM h.valid_to)
ORDER BY h.id

-- known_rows_between
-- Entities or documents known at the one generation and not at the other, by name.
WITH spans AS (
  SELECT id, recorded_change, retired_change FROM {table}
  UNION ALL SELECT id, recorded_change, retired_change FROM past WHERE kind = '{table}'),
here AS (SELECT DISTINCT id FROM spans WHERE recorded_change <= $at AND (retired_change IS NULL OR retired_change > $at)),
there AS (SELECT DISTINCT id FROM spans
          WHERE recorded_change <= $against AND (retired_change IS NULL OR retired_change > $against))
SELECT t.{name} FROM {table} t
WHERE t.id IN (SELECT id FROM here) AND t.id NOT IN (SELECT id FROM there)
  AND t.{name} NOT IN (SELECT o.{name} FROM {table} o WHERE o.id IN (SELECT id FROM there))
ORDER BY t.id

-- once_named
-- Entities that carry or once carried a normal form, those in force first.
SELECT a.entity_id
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.norm = $norm
GROUP BY a.entity_id
ORDER BY bool_or(e.retired_change IS NULL AND a.retired_change IS NULL) DESC, bool_or(a.origin = 'name') DESC,
         a.entity_id

-- merged_into
-- Entities that were merged into any of these, ever.
SELECT DISTINCT merged_id FROM merge WHERE kept_id IN ({ids})

-- events_of
-- What happened to entities and their triples, the newest first: the change, what it did, and to which row.
WITH wanted AS (SELECT unnest($ids::BIGINT[]) AS id),
spans AS (
  SELECT 'triple' AS kind, id, recorded_change, retired_change FROM triple
  WHERE subject_id IN (FROM wanted) OR object_id IN (FROM wanted)
  UNION ALL
  SELECT 'triple', p.id, p.recorded_change, p.retired_change FROM past p JOIN triple t ON t.id = p.id
  WHERE p.kind = 'triple' AND (t.subject_id IN (FROM wanted) OR t.object_id IN (FROM wanted))
  UNION ALL SELECT 'entity', id, recorded_change, retired_change FROM entity WHERE id IN (FROM wanted)
  UNION ALL SELECT 'entity', id, recorded_change, retired_change FROM past WHERE kind = 'entity' AND id IN (FROM wanted)
  UNION ALL SELECT 'merge', id, recorded_change, retired_change FROM merge
  WHERE kept_id IN (FROM wanted) OR merged_id IN (FROM wanted)),
events AS (
  SELECT recorded_change AS change_id, kind, id, true AS came FROM spans
  UNION SELECT retired_change, kind, id, false FROM spans WHERE retired_change IS NOT NULL
  UNION SELECT a.recorded_change, 'alias:' || a.name, a.entity_id, true FROM entity_alias a
  WHERE a.entity_id IN (FROM wanted) AND a.origin <> 'name'
  UNION SELECT a.retired_change, 'alias:' || a.name, a.entity_id, false FROM entity_alias a
  WHERE a.entity_id IN (FROM wanted) AND a.origin <> 'name' AND a.retired_change IS NOT NULL)
SELECT e.change_id, c.recorded_at, c.tool, c.client, c.operation, u.change_id IS NOT NULL AS undone, e.kind, e.id, e.came
FROM events e JOIN change c ON c.id = e.change_id LEFT JOIN undone u ON u.change_id = c.id
ORDER BY e.change_id DESC, e.kind, e.id, e.came LIMIT $limit OFFSET $after

-- words_then
-- What entities were called before they were reworded.
SELECT id, retired_change, was FROM past WHERE kind = 'entity' AND was IS NOT NULL AND id IN ({ids})

-- merge_names
-- Who was merged into whom.
SELECT m.id, k.name, l.name, m.reason FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity l ON l.id = m.merged_id
WHERE m.id IN ({ids})
