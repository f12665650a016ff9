-- add_job
-- One job row.
INSERT INTO job VALUES ($id, $kind, 'running', $client, $process, $now, NULL, $total, 0, '{}', NULL)

-- update_job
-- How far a job has come.
UPDATE job SET state = $state, total = $total, done = $done, report = $report, error = $error,
               finished_at = CASE WHEN $state = 'running' THEN NULL ELSE $now::TIMESTAMP END
WHERE id = $id

-- get_job
-- One job.
SELECT id, kind, state, client, process, created_at, finished_at, total, done, report, error FROM job WHERE id = $id

-- interrupt_jobs
-- Whatever says it runs was killed.
UPDATE job SET state = 'interrupted', finished_at = $now WHERE state = 'running' AND NOT list_contains($keep::BIGINT[], id)

-- recent_jobs
-- The last jobs, newest first.
SELECT id, kind, state, client, process, created_at, finished_at, total, done, report, error
FROM job ORDER BY id DESC LIMIT $limit

-- add_job_item
-- What became of one thing that a job was asked to do.
INSERT INTO job_item VALUES ($job_id, $what, $outcome, $reason, $now)

-- counts
-- How much of each thing is in force.
SELECT (SELECT count(*) FROM document WHERE retired_change IS NULL),
       (SELECT count(*) FROM chunk WHERE retired_change IS NULL),
       (SELECT count(*) FROM entity WHERE retired_change IS NULL),
       (SELECT count(*) FROM triple WHERE retired_change IS NULL)
