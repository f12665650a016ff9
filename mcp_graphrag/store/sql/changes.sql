-- last_change
-- The generation of the file.
SELECT max(id) FROM change

-- add_change
-- One row per write transaction.
INSERT INTO change VALUES ($id, $recorded_at, $client, $request_id, $tool, $operation, $job_id)

-- embedder
-- The embedder of the file; every question asks, so it stands here without a parameter.
SELECT value FROM meta WHERE key = 'embedder'

-- set_meta
-- Write one value of the file's own description.
INSERT OR REPLACE INTO meta VALUES ($key, $value)
