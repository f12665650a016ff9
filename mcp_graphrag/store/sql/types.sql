-- types_in_use
-- The types of the entities in force, in the order of their codes.
SELECT DISTINCT type FROM entity WHERE retired_change IS NULL ORDER BY type

-- type_codes
-- The entities in force with the place of their type among the types in use.
SELECT e.id, k.code
FROM entity e
JOIN (
  SELECT type, row_number() OVER (ORDER BY type) - 1 AS code
  FROM (SELECT DISTINCT type FROM entity WHERE retired_change IS NULL)) k ON k.type = e.type
WHERE e.retired_change IS NULL ORDER BY e.id
