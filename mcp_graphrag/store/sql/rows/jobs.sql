-- add_job
-- Add a running job.
INSERT INTO job VALUES ($id, $kind, 'running', $client, $process, $now, NULL, $total, 0, '{}', NULL)

-- update_job
-- Update a job's state, progress and report.
UPDATE job SET state = $state, total = $total, done = $done, report = $report, error = $error,
               finished_at = CASE WHEN $state = 'running' THEN NULL ELSE $now::TIMESTAMP END
WHERE id = $id

-- update_progress
-- Update how far a running job has come.
UPDATE job SET done = $done, report = $report WHERE id = $id

-- get_job
-- One job.
SELECT job_columns(j) FROM job j WHERE j.id = $id

-- interrupt_jobs
-- Mark jobs as interrupted that are marked as running, but for those to keep.
UPDATE job SET state = 'interrupted', finished_at = $now, error = 'The process that ran it has ended.'
WHERE state = 'running' AND NOT list_contains($keep::BIGINT[], id)

-- recent_jobs
-- The last jobs, newest first.
SELECT job_columns(j) FROM job j ORDER BY j.id DESC LIMIT $limit

-- add_job_item
-- Add the outcome of one item of a job.
INSERT INTO job_item VALUES ($job_id, $what, $outcome, $reason, $now)

-- counts
-- How many active documents, chunks, entities (phrases apart), triples and values there are.
STANDARD SELECT (SELECT count(*) FROM document WHERE retired_change IS NULL) AS documents,
       (SELECT count(*) FROM chunk WHERE retired_change IS NULL) AS chunks,
       (SELECT count(*) FROM entity e WHERE retired_change IS NULL AND NOT is_phrase(e)) AS entities,
       (SELECT count(*) FROM triple WHERE retired_change IS NULL) AS triples,
       (SELECT count(*) FROM entity_value WHERE retired_change IS NULL) AS stated
