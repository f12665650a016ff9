-- ontologies
-- The active ontologies of this file; without parameters, because every query runs it.
SELECT name, body FROM ontology WHERE retired_change IS NULL

-- add_ontology
-- Add one ontology.
INSERT INTO ontology VALUES ($name, $body, $now, $change, NULL, NULL)

-- retire_ontology
-- Retire an ontology.
UPDATE ontology SET retired_at = $now, retired_change = $change WHERE name = $name AND retired_change IS NULL
