-- keep_values
-- The values of rows before they are updated, unless they are as new as this change.
INSERT INTO past
SELECT '{table}', id, recorded_at, recorded_change, $now, $change, {was}
FROM {table} WHERE id IN (SELECT id FROM incoming_id) AND recorded_change <> $change

-- retired_ids
-- The rows of a table that were retired after a generation.
SELECT id FROM {table} WHERE retired_change > $since

-- keep_interval
-- The interval in which rows were active before they are restored; of entities and documents with their values.
INSERT INTO past
SELECT '{table}', id, recorded_at, recorded_change, retired_at, retired_change, {was}
FROM {table} WHERE id IN (SELECT id FROM restored)

-- restore
-- Make these rows active again.
UPDATE {table} SET recorded_at = $now, recorded_change = $change, retired_at = NULL, retired_change = NULL
WHERE id IN (SELECT id FROM restored)

-- retire
-- Retire the active rows of a table with an id in one of its columns.
UPDATE {table} SET retired_at = $now, retired_change = $change WHERE retired_change IS NULL AND {column} = $id

-- retire_among
-- Retire the active rows of a table with one of the ids of another table in one of its columns.
UPDATE {table} SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND {column} IN (SELECT id FROM {among})
