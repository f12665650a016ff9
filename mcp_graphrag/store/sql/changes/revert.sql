-- reverted_changes
-- The changes to take back.
SELECT unnest($changes::BIGINT[]) AS change_id

-- active_without
-- Of the rows that the reverted changes have touched, those that are active without these changes: the last time that
-- others have recorded them has not ended, or by one of these. What an undo has brought back was never gone.
WITH touched AS (
  SELECT id FROM {table} WHERE recorded_change IN (FROM reverted) OR retired_change IN (FROM reverted)
  UNION
  SELECT id FROM past
  WHERE kind = '{table}' AND (recorded_change IN (FROM reverted) OR retired_change IN (FROM reverted))),
interval_of AS (
  SELECT id, recorded_change AS since, retired_change AS until FROM {table} WHERE id IN (FROM touched)
  UNION ALL
  SELECT id, recorded_change, retired_change FROM past WHERE kind = '{table}' AND id IN (FROM touched)),
after_other AS (
  SELECT *, lag(until) OVER (PARTITION BY id ORDER BY since, until) AS before FROM interval_of),
started AS (
  SELECT a.*, coalesce(a.before = a.since OR u.by_change = a.since, false) AS goes_on
  FROM after_other a LEFT JOIN undone u ON u.change_id = a.before),
numbered AS (
  SELECT *, sum(if(goes_on, 0, 1)) OVER (PARTITION BY id ORDER BY since, until) AS place FROM started),
joined AS (
  SELECT id, place, min(since) AS since, if(count(until) = count(*), max(until), NULL) AS until
  FROM numbered GROUP BY id, place),
last_one AS (
  SELECT j.id, j.until FROM joined j LEFT JOIN undone u ON u.change_id = j.since
  WHERE j.since NOT IN (FROM reverted) AND (u.by_change IS NULL OR u.by_change IS DISTINCT FROM j.until)
  QUALIFY row_number() OVER (PARTITION BY j.id ORDER BY j.place DESC) = 1)
SELECT id FROM last_one WHERE until IS NULL OR until IN (FROM reverted)

-- rows_to_restore
-- Rows that are retired and are active without the reverted changes.
SELECT id FROM {table} WHERE {condition} AND retired_change IS NOT NULL AND id IN (FROM active_without)

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

-- retire_recorded_rows
-- Retire rows without an id that the reverted changes have recorded, or copies of them that an undo has recorded.
UPDATE {table} SET {retired}
WHERE retired_change IS NULL AND (
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
