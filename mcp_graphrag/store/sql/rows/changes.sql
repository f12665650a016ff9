-- last_operations
-- The operations that can be undone, newest first: none that is undone, no undo, none that only derives rows.
SELECT operation, list(id ORDER BY id) AS changes, min(recorded_at), any_value(client), any_value(tool)
FROM change
WHERE tool NOT IN ('undo', 'embed', 'reindex', 'communities', 'purge', 'clear', 'compact')
  AND id NOT IN (SELECT change_id FROM undone)
GROUP BY operation ORDER BY max(id) DESC LIMIT $limit

-- changes_of
-- The changes of operations.
SELECT id FROM change WHERE operation IN ({ids})

-- last_purge
-- The newest change that removed rows for good: nothing older can come back.
SELECT max(id) FROM change WHERE tool IN ('purge', 'clear')

-- change_time
-- When a change was made.
SELECT recorded_at FROM change WHERE id = $id

-- landed
-- The operations that a client's request has written since a moment.
SELECT DISTINCT operation, tool FROM change
WHERE ends_with(client, '/' || $client) AND request_id = $request_id AND recorded_at >= $since
ORDER BY operation
