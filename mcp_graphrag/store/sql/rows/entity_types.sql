-- types_in_use
-- The types of active entities, in the order of their codes.
SELECT DISTINCT type FROM entity WHERE retired_change IS NULL ORDER BY type

-- type_codes
-- The active entities, each with the position of its type among the types in use.
SELECT e.id, k.code
FROM entity e
JOIN (
  SELECT type, row_number() OVER (ORDER BY type) - 1 AS code
  FROM (SELECT DISTINCT type FROM entity WHERE retired_change IS NULL)) k ON k.type = e.type
WHERE e.retired_change IS NULL ORDER BY e.id
