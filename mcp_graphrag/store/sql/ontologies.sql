-- ontologies
-- The ontologies of this file in force; every question asks, so it stands here without a parameter.
SELECT name, body FROM ontology WHERE retired_change IS NULL ORDER BY name

-- add_ontology
-- One ontology.
INSERT INTO ontology VALUES ($name, $body, $now, $change, NULL, NULL)

-- retire_ontology
-- Take an ontology out of force; it can be looked back at.
UPDATE ontology SET retired_at = $now, retired_change = $change WHERE name = $name AND retired_change IS NULL
