-- triples_only_known
-- The triples active after one change and not after another, unless another row states the same.
WITH here AS (known_ids(triple, $at)),
there AS (known_ids(triple, $against)),
only_here AS (SELECT t.* FROM triple t WHERE id IN (FROM here) AND id NOT IN (FROM there)),
only_there AS (SELECT t.* FROM triple t WHERE id IN (FROM there) AND id NOT IN (FROM here))
SELECT h.id FROM only_here h
WHERE NOT EXISTS (SELECT 1 FROM only_there o WHERE same_triple(o, h))
ORDER BY h.id

-- names_only_known
-- The entities or documents active after one change and not after another, by name.
WITH here AS (known_ids({table}, $at)),
there AS (known_ids({table}, $against))
SELECT t.{name} FROM {table} t
WHERE t.id IN (FROM here) AND t.id NOT IN (FROM there)
  AND t.{name} NOT IN (SELECT o.{name} FROM {table} o WHERE o.id IN (FROM there))
ORDER BY t.id

-- values_only_known
-- The first of the values stated after one change and not after another, each once, with the number of all.
WITH known AS (
  SELECT *, known_then(v, $at) AS here, known_then(v, $against) AS there FROM entity_value v
  WHERE recorded_change > least($at, $against) OR retired_change > least($at, $against))
SELECT *, count(*) OVER () FROM (
SELECT value_columns(v, c)
FROM known v JOIN change c ON c.id = v.recorded_change
WHERE v.here AND NOT v.there AND NOT EXISTS (
  SELECT 1 FROM known o
  WHERE o.there AND o.entity_id = v.entity_id AND o.predicate_id = v.predicate_id AND o.value = v.value)
QUALIFY row_number() OVER (PARTITION BY v.entity_id, v.predicate_id, v.value ORDER BY v.chunk_id, v.start_offset) = 1)
ORDER BY chunk_id, start_offset LIMIT $limit

-- entities_once_named
-- The entities that once had a normal form as a name and no longer have it, those whose own name it was first.
STANDARD SELECT a.entity_id
FROM entity_alias a JOIN entity e ON e.id = a.entity_id
WHERE a.norm = $norm AND a.document_id IS NULL
GROUP BY a.entity_id
HAVING NOT bool_or(e.retired_change IS NULL AND a.retired_change IS NULL)
ORDER BY bool_or(a.origin = 'name') DESC, a.entity_id

-- merged_into
-- The entities that were ever merged into any of these.
SELECT DISTINCT merged_id FROM merge WHERE kept_id IN ({ids})

-- events_of
-- What was recorded and retired of entities and their triples, newest first: the change and the row.
STANDARD WITH spans AS (
  SELECT 'triple' AS kind, id, recorded_change, retired_change FROM triple
  WHERE subject_id IN FIRST (SELECT unnest($ids::BIGINT[])) OR object_id IN FIRST (SELECT unnest($ids::BIGINT[]))
  UNION ALL
  SELECT 'triple', p.id, p.recorded_change, p.retired_change FROM past p JOIN triple t ON t.id = p.id
  WHERE p.kind = 'triple' AND (t.subject_id IN FIRST (SELECT unnest($ids::BIGINT[])) OR t.object_id IN FIRST (SELECT unnest($ids::BIGINT[])))
  UNION ALL SELECT 'entity', id, recorded_change, retired_change FROM entity WHERE id IN FIRST (SELECT unnest($ids::BIGINT[]))
  UNION ALL SELECT 'entity', id, recorded_change, retired_change FROM past WHERE kind = 'entity' AND id IN FIRST (SELECT unnest($ids::BIGINT[]))
  UNION ALL SELECT 'merge', id, recorded_change, retired_change FROM merge
  WHERE kept_id IN FIRST (SELECT unnest($ids::BIGINT[])) OR merged_id IN FIRST (SELECT unnest($ids::BIGINT[]))
  UNION ALL SELECT 'verdict', c.id, c.recorded_change, NULL FROM conflict c JOIN triple t ON t.id = c.triple_id
  WHERE c.verdict IS NOT NULL AND (t.subject_id IN FIRST (SELECT unnest($ids::BIGINT[])) OR t.object_id IN FIRST (SELECT unnest($ids::BIGINT[])))
  UNION ALL SELECT 'verdict', c.id, c.recorded_change, NULL FROM conflict c JOIN triple t ON t.id = c.other_id
  WHERE c.verdict IS NOT NULL AND (t.subject_id IN FIRST (SELECT unnest($ids::BIGINT[])) OR t.object_id IN FIRST (SELECT unnest($ids::BIGINT[])))),
events AS (
  SELECT recorded_change AS change_id, kind, id, true AS recorded FROM spans
  UNION SELECT retired_change, kind, id, false FROM spans WHERE retired_change IS NOT NULL
  UNION SELECT a.recorded_change, 'alias:' || a.name, a.entity_id, true FROM entity_alias a
  WHERE a.entity_id IN FIRST (SELECT unnest($ids::BIGINT[])) AND a.origin <> 'name'
  UNION SELECT a.retired_change, 'alias:' || a.name, a.entity_id, false FROM entity_alias a
  WHERE a.entity_id IN FIRST (SELECT unnest($ids::BIGINT[])) AND a.origin <> 'name' AND a.retired_change IS NOT NULL)
SELECT e.change_id, c.recorded_at, c.tool, c.client, c.operation, u.change_id IS NOT NULL AS undone,
       e.kind, e.id, e.recorded
FROM events e JOIN change c ON c.id = e.change_id LEFT JOIN undone u ON u.change_id = c.id
ORDER BY e.change_id DESC, e.kind, e.id, e.recorded LIMIT $limit OFFSET $after

-- earlier_values
-- The earlier values of entities, by the change that replaced them.
SELECT id, retired_change, was FROM past WHERE kind = 'entity' AND was IS NOT NULL AND id IN ({ids})

-- verdicts_of
-- What conflicts were about, and how and why they were resolved.
SELECT id, detail, verdict, reason FROM conflict WHERE id IN ({ids})

-- merge_names
-- The names of merged entities, and the reasons.
STANDARD SELECT m.id, k.name AS kept, l.name AS merged, m.reason FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity l ON l.id = m.merged_id
WHERE m.id IN ({ids})
