-- readings
-- Active triples between names in each reading of their predicate: a relation that a holder has to something held.
SELECT t.id, r.relation, holder(t, r) AS holder, held(t, r) AS held, t.valid_from, t.valid_to
FROM triple t JOIN incoming_reading r USING (predicate_id)
WHERE t.retired_change IS NULL AND is_of_names(t) AND {condition}
  AND t.predicate_id IN (SELECT predicate_id FROM incoming_reading)

-- crowded_holders
-- The holders of more than one triple; for very many new triples it is faster to begin with these.
SELECT holder(t, r) AS holder
FROM triple t JOIN incoming_reading r USING (predicate_id)
WHERE t.retired_change IS NULL
GROUP BY holder HAVING min(t.id) <> max(t.id)

-- rivals
-- Several things that one holder has by a relation that is functional for their types. What is stated with dates and
-- without counts as dated.
WITH functional AS (
  SELECT r.* FROM reading r JOIN entity h ON h.id = r.holder JOIN entity o ON o.id = r.held
  WHERE r.relation IN (SELECT relation FROM incoming_functional)
    AND NOT EXISTS (FROM incoming_unfit u WHERE u.relation = r.relation AND u.is_holder AND u.type = h.type)
    AND NOT EXISTS (FROM incoming_unfit u WHERE u.relation = r.relation AND NOT u.is_holder AND u.type = o.type)),
several AS (
  SELECT relation, holder FROM functional
  GROUP BY relation, holder HAVING count(*) > 1 AND count(DISTINCT id) > 1),
dated AS (
  SELECT s.*, bool_or(s.valid_from IS NOT NULL OR s.valid_to IS NOT NULL)
                OVER (PARTITION BY s.relation, s.holder, s.held) AS has_dates
  FROM functional s JOIN several USING (relation, holder))
SELECT id, relation, holder, held, valid_from, valid_to, id IN (SELECT id FROM new_reading) AS is_new,
       count(*) OVER (PARTITION BY relation, holder) AS rivals,
       row_number() OVER (PARTITION BY relation, holder ORDER BY id) AS id_rank,
       row_number() OVER (PARTITION BY relation, holder ORDER BY valid_from NULLS FIRST, id) AS time_rank
FROM dated WHERE valid_from IS NOT NULL OR valid_to IS NOT NULL OR NOT has_dates

-- clashes
-- Pairs that cannot both hold. Of very many rivals a new one is compared with the first and those nearest in time.
WITH compared AS (
  SELECT n.id, m.id AS other_id, n.relation, n.held, m.held AS other_held,
         n.valid_from, n.valid_to, m.valid_from AS other_from, m.valid_to AS other_to
  FROM rival n JOIN rival m USING (relation, holder)
  WHERE n.is_new AND m.id_rank <= $max_rivals
  UNION
  SELECT n.id, m.id, n.relation, n.held, m.held, n.valid_from, n.valid_to, m.valid_from, m.valid_to
  FROM (SELECT *, unnest(range(-$near, $near + 1)) AS away FROM rival WHERE is_new AND rivals > $max_rivals) n
  JOIN rival m ON m.relation = n.relation AND m.holder = n.holder AND m.time_rank = n.time_rank + n.away),
rivals AS (
  SELECT id, other_id, f.name AS why, CASE WHEN held = other_held THEN 'interval' ELSE 'functional' END AS kind,
         valid_from, valid_to, other_from, other_to
  FROM compared JOIN incoming_functional f USING (relation)
  WHERE held <> other_held OR valid_from IS DISTINCT FROM other_from OR valid_to IS DISTINCT FROM other_to),
opposed AS (
  SELECT n.id, m.id AS other_id, NULL AS why, 'opposite' AS kind,
         n.valid_from, n.valid_to, m.valid_from AS other_from, m.valid_to AS other_to
  FROM new_reading n
  JOIN incoming_opposite o USING (relation)
  JOIN reading m ON m.relation = o.other AND m.holder = n.holder AND m.held = n.held)
SELECT DISTINCT ON (least(id, other_id), greatest(id, other_id))
       least(id, other_id) AS triple_id, greatest(id, other_id) AS other_id, kind, why
FROM (FROM rivals UNION ALL FROM opposed)
WHERE id <> other_id AND coalesce(other_from < valid_to, true) AND coalesce(valid_from < other_to, true)
ORDER BY least(id, other_id), greatest(id, other_id), kind

-- overlapping_periods
-- New triples with dates, and those that state the same for another period that overlaps theirs.
STANDARD SELECT DISTINCT least(n.id, m.id) AS triple_id, greatest(n.id, m.id) AS other_id, 'interval' AS kind, NULL AS why
FROM triple n
JOIN triple m ON m.subject_id = n.subject_id AND m.predicate_id = n.predicate_id AND m.object_id = n.object_id
WHERE n.id IN (SELECT id FROM incoming_id) AND m.id <> n.id AND n.retired_change IS NULL AND m.retired_change IS NULL
  AND is_of_names(n) AND (n.valid_from IS NOT NULL OR n.valid_to IS NOT NULL)
  AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)
  AND coalesce(m.valid_from < n.valid_to, true) AND coalesce(n.valid_from < m.valid_to, true)

-- type_violations
-- The new triples that connect types that their predicate does not allow.
STANDARD SELECT t.id AS triple_id, NULL::BIGINT AS other_id, 'type' AS kind, r.why
FROM triple t JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
JOIN incoming_violation r
  ON r.predicate_id = t.predicate_id AND r.subject_type = s.type AND r.object_type = o.type
WHERE t.retired_change IS NULL AND t.id IN (SELECT id FROM incoming_id)

-- type_signatures
-- The types that triples connect, by predicate.
STANDARD SELECT DISTINCT t.predicate_id, s.type AS subject_type, o.type AS object_type
FROM triple t JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
WHERE is_of_names(t) AND t.id IN (SELECT id FROM incoming_id)

-- clashing_triples
-- The triples of the clashes, by names and dates.
STANDARD SELECT t.id, s.name AS subject, p.name AS predicate, o.name AS object, t.valid_from, t.valid_to
FROM triple t JOIN entity s ON s.id = t.subject_id JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
WHERE t.id IN FIRST (SELECT triple_id FROM clash UNION SELECT other_id FROM clash WHERE other_id IS NOT NULL)

-- unrecorded_clashes
-- The clashes that are no active conflict yet.
SELECT c.kind, c.why, c.triple_id, c.other_id
FROM clash c
WHERE NOT EXISTS (
  SELECT 1 FROM conflict k
  WHERE k.retired_change IS NULL AND k.triple_id IN (c.triple_id, c.other_id)
    AND CASE WHEN c.other_id IS NULL THEN k.other_id IS NULL ELSE k.other_id IN (c.triple_id, c.other_id) END)

-- has_verdicts
-- Whether any conflict was ever resolved.
STANDARD SELECT count(*) AS found FROM (SELECT 1 FROM conflict WHERE verdict IS NOT NULL LIMIT 1) one

-- earlier_verdicts
-- The newest verdict on conflicts of the same names, as ids are retired with documents: whether it still applies because
-- both triples were kept, and the triple that was kept.
WITH considered AS (
  SELECT position, triple_id, nullif(other_id, -1) AS other_id, NULL AS verdict, NULL AS reason, NULL AS id
  FROM incoming_conflict
  UNION ALL
  SELECT NULL, triple_id, other_id, verdict, reason, id FROM conflict
  WHERE verdict IS NOT NULL AND recorded_change NOT IN (SELECT change_id FROM undone)),
saying AS (
  SELECT t.id, concat_ws('|', lower(s.name), coalesce(lower(s.type), ''), t.predicate_id, lower(o.name),
                         coalesce(lower(o.type), ''), coalesce(t.valid_from::VARCHAR, '-'),
                         coalesce(t.valid_to::VARCHAR, '-')) AS says
  FROM triple t JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
  WHERE t.id IN (SELECT triple_id FROM considered UNION ALL SELECT other_id FROM considered)),
compared AS (
  SELECT k.*, least(a.says, b.says) AS one, coalesce(greatest(a.says, b.says), '') AS other
  FROM considered k JOIN saying a ON a.id = k.triple_id LEFT JOIN saying b ON b.id = k.other_id
  WHERE k.other_id IS NULL OR b.id IS NOT NULL),
newest AS (
  SELECT one, other, other_id IS NULL AS alone, max_by(struct_pack(
           verdict := verdict, reason := reason, kept := if(verdict = 'first', triple_id, other_id)), id) AS was
  FROM compared WHERE verdict IS NOT NULL GROUP BY ALL)
SELECT c.position, n.was.verdict = 'both' OR (n.alone AND n.was.verdict = 'first') AS applies, n.was.verdict,
       n.was.reason, s.name, p.name, o.name, t.valid_from, t.valid_to
FROM compared c JOIN newest n ON n.one = c.one AND n.other = c.other AND n.alone = (c.other_id IS NULL)
LEFT JOIN triple t ON t.id = n.was.kept LEFT JOIN entity s ON s.id = t.subject_id
LEFT JOIN predicate p ON p.id = t.predicate_id LEFT JOIN entity o ON o.id = t.object_id
WHERE c.verdict IS NULL

-- add_conflicts
-- Add conflicts.
INSERT INTO conflict
SELECT id, kind, triple_id, nullif(other_id, -1), detail, verdict, reason, $now, $change, NULL, NULL
FROM incoming_conflict ORDER BY id

-- stale_conflicts
-- Open conflicts without one of their triples, resolved ones without one that was kept, undated ones stated with dates.
STANDARD WITH side AS (
  SELECT id, kind, verdict, 'first' AS place, triple_id FROM conflict WHERE retired_change IS NULL
  UNION ALL
  SELECT id, kind, verdict, 'second', other_id FROM conflict WHERE retired_change IS NULL)
SELECT s.id
FROM side s LEFT JOIN triple t ON t.id = s.triple_id AND t.retired_change IS NULL
WHERE s.triple_id IS NOT NULL AND t.id IS NULL AND coalesce(s.verdict, 'both') IN (s.place, 'both')
UNION
SELECT s.id
FROM side s JOIN triple t ON t.id = s.triple_id
JOIN triple d ON d.subject_id = t.subject_id AND d.predicate_id = t.predicate_id AND d.object_id = t.object_id
WHERE s.verdict IS NULL AND s.kind = 'functional' AND t.valid_from IS NULL AND t.valid_to IS NULL
  AND d.retired_change IS NULL AND (d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL)

-- has_conflicts
-- Whether any conflict is active.
STANDARD SELECT count(*) AS found FROM (SELECT 1 FROM conflict WHERE retired_change IS NULL LIMIT 1) one

-- triples_to_compare
-- The triples that this change has recorded or restored, and undated ones of which it has retired a dated version.
STANDARD SELECT t.id, t.predicate_id
FROM triple t
WHERE t.retired_change IS NULL AND t.recorded_change = $change
UNION
SELECT t.id, t.predicate_id
FROM triple t
JOIN triple d ON d.subject_id = t.subject_id AND d.predicate_id = t.predicate_id AND d.object_id = t.object_id
WHERE t.retired_change IS NULL AND t.valid_from IS NULL AND t.valid_to IS NULL
  AND d.retired_change = $change AND (d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL)

-- undated_duplicates
-- Other active triples with the same subject, predicate and object, without dates.
STANDARD SELECT u.id
FROM triple t JOIN triple u USING (subject_id, predicate_id, object_id)
WHERE t.id = $id AND u.id <> $id AND u.retired_change IS NULL AND u.valid_from IS NULL AND u.valid_to IS NULL

-- conflicts_after
-- The active conflicts with an id above a given one, oldest first; with a moment, only those of triples that hold then.
SELECT conflict_columns(k) FROM conflict k
WHERE k.id > $after AND conflict_is_listed(k)
ORDER BY k.id LIMIT $limit

-- count_conflicts
-- How many there are.
SELECT count(*) FROM conflict k WHERE conflict_is_listed(k)

-- conflict_by_id
-- One conflict, active or retired.
SELECT conflict_columns(k), k.retired_change FROM conflict k WHERE k.id = $id

-- add_resolved_conflict
-- Add a conflict once more, with its verdict.
INSERT INTO conflict
SELECT $new_id, kind, $triple, $other, detail, $verdict, $reason, $now, $change, NULL, NULL
FROM conflict WHERE id = $id

-- evidence_when_retired
-- The evidence of retired triples, as it was when they were retired.
SELECT v.triple_id, v.id FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.triple_id IN FIRST (SELECT unnest($ids::BIGINT[])) AND t.retired_change IS NOT NULL
  AND v.retired_change = t.retired_change
ORDER BY v.confidence DESC, v.id

-- sources_of_triples
-- The sources of triples by evidence: the text given with it, and the chunk.
SELECT triple_id, source, chunk_id FROM evidence WHERE id IN ({ids}) AND retired_change IS NULL

-- superseded
-- The active triples that new ones supersede: same holder and relation, something else held, begun before.
SELECT n.position, s.id, coalesce(n.valid_from, $now) AS moment
FROM (
  SELECT i.position, i.valid_from, i.valid_to, r.relation, holder(i, r) AS holder, held(i, r) AS held
  FROM incoming_superseding i JOIN incoming_reading r USING (predicate_id)) n
JOIN (
  SELECT t.id, r.relation, t.valid_from, t.valid_to, holder(t, r) AS holder, held(t, r) AS held
  FROM triple t JOIN incoming_reading r USING (predicate_id)
  WHERE t.retired_change IS NULL AND is_of_names(t) AND t.id IN FIRST (
    STANDARD SELECT id FROM triple
    WHERE retired_change IS NULL AND predicate_id IN (SELECT predicate_id FROM incoming_reading)
      AND (subject_id IN (SELECT subject_id FROM incoming_superseding)
           OR subject_id IN (SELECT object_id FROM incoming_superseding)
           OR object_id IN (SELECT subject_id FROM incoming_superseding)
           OR object_id IN (SELECT object_id FROM incoming_superseding)))) s
  ON s.relation = n.relation AND s.holder = n.holder AND s.held <> n.held
WHERE coalesce(s.valid_from < coalesce(n.valid_from, $now), true)
  AND coalesce(coalesce(n.valid_from, $now) < s.valid_to, true)
  AND coalesce(coalesce(n.valid_from, $now) < n.valid_to, true)
  AND NOT EXISTS (
    FROM incoming_superseding o JOIN incoming_reading r USING (predicate_id)
    WHERE r.relation = s.relation AND holder(o, r) = s.holder AND held(o, r) = s.held)

-- closed_triples
-- The same triples with the end of their validity, unless such a triple is stored.
SELECT i.id AS old_id, c.id IS NULL AS is_new,
       coalesce(c.id, min(nextval('triple_id')) OVER (
         PARTITION BY t.subject_id, t.predicate_id, t.object_id, t.valid_from, i.moment)) AS id,
       t.subject_id, t.predicate_id, t.object_id, t.confidence, t.valid_from, i.moment AS valid_to, t.properties,
       t.said_until
FROM incoming_end i JOIN triple t ON t.id = i.id
LEFT JOIN triple c
  ON c.retired_change IS NULL AND c.subject_id = t.subject_id AND c.predicate_id = t.predicate_id
 AND c.object_id = t.object_id AND c.valid_from IS NOT DISTINCT FROM t.valid_from AND c.valid_to = i.moment
 AND c.subject_id IN FIRST (SELECT subject_id FROM triple WHERE id IN (SELECT id FROM incoming_end))

-- add_closed_triples
-- Add them.
INSERT INTO triple
SELECT DISTINCT ON (id) id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties,
       $now, $change, NULL, NULL, said_until
FROM closed_triple WHERE is_new

-- copy_evidence_to_closed
-- Copy the evidence of the old triples to them.
INSERT INTO evidence
SELECT * EXCLUDE (new_id) REPLACE (nextval('evidence_id') AS id, new_id AS triple_id, $now AS recorded_at,
                                   $change AS recorded_change)
FROM (SELECT v.*, c.id AS new_id FROM evidence v JOIN closed_triple c ON c.old_id = v.triple_id
      WHERE v.retired_change IS NULL)

-- closed_ids
-- The old and the new id of each.
SELECT old_id, id FROM closed_triple
