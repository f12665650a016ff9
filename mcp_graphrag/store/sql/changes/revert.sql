-- reverted_changes
-- The changes to take back.
SELECT unnest($changes::BIGINT[]) AS change_id

-- active_before
-- Rows of a table that were active before the reverted changes retired or updated them.
SELECT id FROM past
WHERE kind = '{table}' AND recorded_change NOT IN (FROM reverted) AND retired_change IN (FROM reverted)

-- rows_to_restore
-- Rows that the reverted changes have retired but not recorded, or that an undo of what restored them has retired.
SELECT id FROM {table}
WHERE {condition} AND (
  (retired_change IN (FROM reverted) AND (recorded_change NOT IN (FROM reverted) OR id IN (FROM active_before)))
  OR (retired_change IN (SELECT by_change FROM undone) AND id IN (FROM active_before)
      AND recorded_change NOT IN (FROM reverted)))

-- values_to_restore
-- The oldest values that the reverted changes replaced.
SELECT kind, id, arg_min(was, recorded_change) AS was
FROM past WHERE was IS NOT NULL AND retired_change IN (FROM reverted)
GROUP BY kind, id

-- restore_document_values
-- Restore the earlier values of a document.
UPDATE document SET title = $was::JSON->>'$.title', source = $was::JSON->>'$.source',
  metadata = ($was::JSON->>'$.metadata')::JSON, recorded_at = $now, recorded_change = $change WHERE id = $id

-- retire_recorded
-- Retire active rows that the reverted changes have recorded, or restored since, and that were not active before.
UPDATE {table} SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND id NOT IN (FROM active_before) AND (
  recorded_change IN (FROM reverted)
  OR id IN (SELECT id FROM past WHERE kind = '{table}' AND recorded_change IN (FROM reverted)))

-- retire_recorded_rows
-- Retire rows without an id that the reverted changes have recorded, or copies of them that an undo has recorded.
UPDATE {table} SET {retired}
WHERE retired_change IS NULL AND (
  recorded_change IN (FROM reverted)
  OR (recorded_change IN (SELECT by_change FROM undone)
      AND ({columns}) IN (SELECT ({columns}) FROM {table} WHERE recorded_change IN (FROM reverted))))

-- restore_aliases
-- Add names that the reverted changes have retired, as new rows.
INSERT INTO entity_alias
SELECT a.entity_id, a.name, a.norm, a.origin, a.document_id, $now, $change, NULL, NULL, a.said_in
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.retired_change IN (FROM reverted) AND a.recorded_change NOT IN (FROM reverted) AND e.retired_change IS NULL

-- restore_mentions
-- Add mentions that the reverted changes have retired, as new rows.
INSERT INTO mention
SELECT m.chunk_id, m.entity_id, m.start_offset, m.end_offset, m.extractor, $change, m.name, m.type, NULL
FROM mention m JOIN chunk c ON c.id = m.chunk_id JOIN entity e ON e.id = m.entity_id
WHERE m.retired_change IN (FROM reverted) AND m.recorded_change NOT IN (FROM reverted)
  AND c.retired_change IS NULL AND e.retired_change IS NULL

-- restore_pairs
-- Add pairs of distinct entities that the reverted changes have retired, as new rows.
INSERT INTO distinct_pair
SELECT entity_id, other_id, reason, $now, $change, NULL, NULL
FROM distinct_pair WHERE retired_change IN (FROM reverted) AND recorded_change NOT IN (FROM reverted)

-- restore_ontologies
-- Add ontologies that the reverted changes have retired, as new rows.
INSERT INTO ontology
SELECT name, body, $now, $change, NULL, NULL FROM ontology
WHERE retired_change IN (FROM reverted) AND recorded_change NOT IN (FROM reverted)

-- mark_undone
-- Mark the changes as undone.
INSERT INTO undone SELECT change_id, $change FROM reverted
