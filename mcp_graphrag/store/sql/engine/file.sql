-- last_change
-- The generation of the file.
SELECT max(id) FROM change

-- add_change
-- One row per write transaction.
INSERT INTO change VALUES ($id, $recorded_at, $client, $request_id, $tool, $operation, $job_id)

-- set_meta
-- Write one value of the file's own description.
INSERT OR REPLACE INTO meta VALUES ($key, $value)

-- meta_value
-- One value of it.
SELECT value FROM meta WHERE key = $key

-- change_at
-- The last change made until a moment.
SELECT max(id) FROM change WHERE recorded_at <= $moment

-- database
-- The name under which the home is open, and the schema of its tables.
SELECT current_database(), current_schema()

-- next_ids
-- The next id of each of some sequences.
SELECT {wanted}

-- new_ids
-- New ids of a sequence.
SELECT nextval('{sequence}') AS id FROM range($count::BIGINT)
