-- reverted_changes
-- The changes to take back.
SELECT unnest($changes::BIGINT[]) AS change_id

-- touched
-- The rows that the reverted changes have touched.
SELECT id FROM {table} WHERE recorded_change IN (FROM reverted)
UNION SELECT id FROM {table} WHERE retired_change IN (FROM reverted)
UNION SELECT id FROM past WHERE kind = '{table}' AND recorded_change IN (FROM reverted)
UNION SELECT id FROM past WHERE kind = '{table}' AND retired_change IN (FROM reverted)

-- active_without
-- Of the rows that the reverted changes have touched, those that are active without these changes: the last event that
-- counts has recorded them. Events of reverted and undone changes and of undos do not, but for an undone change whose
-- undo has left the row as it was, and where a compaction has dropped what was before an undo.
WITH interval_of AS (
  SELECT *, row_number() OVER (PARTITION BY id ORDER BY since, until) AS place
  FROM (
    SELECT id, recorded_change AS since, retired_change AS until FROM {table} WHERE id IN (FROM touched)
    UNION ALL
    SELECT id, recorded_change, retired_change FROM past WHERE kind = '{table}' AND id IN (FROM touched))),
event AS (
  SELECT id, 2 * place AS place, since AS change_id, true AS records FROM interval_of
  UNION ALL
  SELECT id, 2 * place + 1, until, false FROM interval_of WHERE until IS NOT NULL),
undone_first AS (
  SELECT e.id, u.by_change, min(e.change_id) AS change_id FROM event e JOIN undone u USING (change_id) GROUP BY ALL),
left_as_it_was AS (
  SELECT f.id, f.by_change FROM undone_first f JOIN interval_of i USING (id)
  GROUP BY ALL
  HAVING bool_or(i.since < f.change_id AND coalesce(i.until >= f.change_id, true))
      <> bool_or(i.since <= f.by_change AND coalesce(i.until > f.by_change, true)))
SELECT e.id FROM event e LEFT JOIN undone u USING (change_id)
WHERE e.change_id NOT IN (FROM reverted)
  AND (e.place = 2 OR e.change_id NOT IN (SELECT by_change FROM undone))
  AND (u.by_change IS NULL OR (e.id, u.by_change) IN (FROM left_as_it_was))
GROUP BY e.id HAVING arg_max(e.records, e.place)

-- rows_to_restore
-- Rows that are retired and are active without the reverted changes.
STANDARD SELECT id FROM {table} WHERE {condition} AND retired_change IS NOT NULL AND id IN (FROM active_without)

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
-- Retire active rows that the reverted changes have recorded, or that were restored since.
UPDATE {table} SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND id NOT IN (FROM active_without) AND (
  recorded_change IN (FROM reverted)
  OR id IN (SELECT id FROM past WHERE kind = '{table}' AND recorded_change IN (FROM reverted)))
  AND id IN (FROM touched)

-- retire_recorded_rows
-- Retire rows without an id that the reverted changes have recorded, or copies of them that an undo has recorded.
UPDATE {table} SET {retired}
WHERE retired_change IS NULL
  AND recorded_change IN FIRST (SELECT change_id FROM reverted UNION SELECT by_change FROM undone)
  AND (
  recorded_change IN (FROM reverted)
  OR (recorded_change IN (SELECT by_change FROM undone)
      AND ({columns}) IN (SELECT ({columns}) FROM {table} WHERE recorded_change IN (FROM reverted))))

-- lost_rows
-- Rows without an id that the reverted changes have retired and not recorded, nor an undo again that they recorded.
SELECT * FROM {table}
WHERE retired_change IN (FROM reverted) AND recorded_change NOT IN (FROM reverted)
  AND NOT (recorded_change IN (SELECT by_change FROM undone)
           AND ({columns}) IN (SELECT ({columns}) FROM {table} WHERE recorded_change IN (FROM reverted)))

-- restore_entity_alias
-- Add lost names, as new rows.
INSERT INTO entity_alias
SELECT a.entity_id, a.name, a.norm, a.origin, a.document_id, $now, $change, NULL, NULL, a.said_in
FROM lost a JOIN entity e ON e.id = a.entity_id
WHERE e.retired_change IS NULL

-- restore_mention
-- Add lost mentions, as new rows.
INSERT INTO mention
SELECT m.chunk_id, m.entity_id, m.start_offset, m.end_offset, m.extractor, $change, m.name, m.type, NULL
FROM lost m JOIN chunk c ON c.id = m.chunk_id JOIN entity e ON e.id = m.entity_id
WHERE c.retired_change IS NULL AND e.retired_change IS NULL

-- restore_entity_value
-- Add lost values, as new rows.
INSERT INTO entity_value
SELECT v.* REPLACE ($change AS recorded_change, NULL AS retired_change)
FROM lost v JOIN chunk c ON c.id = v.chunk_id JOIN entity e ON e.id = v.entity_id
WHERE c.retired_change IS NULL AND e.retired_change IS NULL

-- restore_extraction
-- Add lost extractions, as new rows.
INSERT INTO extraction
SELECT x.chunk_id, x.extractor, x.version, x.triples, x.dropped, $change, NULL
FROM lost x JOIN chunk c ON c.id = x.chunk_id
WHERE c.retired_change IS NULL

-- restore_distinct_pair
-- Add lost pairs of distinct entities, as new rows.
INSERT INTO distinct_pair SELECT entity_id, other_id, reason, $now, $change, NULL, NULL FROM lost

-- restore_ontology
-- Add lost ontologies, as new rows.
INSERT INTO ontology SELECT name, body, $now, $change, NULL, NULL FROM lost

-- mark_undone
-- Mark the changes as undone.
INSERT INTO undone SELECT change_id, $change FROM reverted
