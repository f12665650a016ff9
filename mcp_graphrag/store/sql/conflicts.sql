-- read_new
-- What the offered triples say, in each reading of their predicate: a relation that a holder has to something held.
CREATE OR REPLACE TEMP TABLE said_now AS
SELECT t.id, r.relation, CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END AS holder,
       CASE WHEN r.turned THEN t.subject_id ELSE t.object_id END AS held, t.valid_from, t.valid_to
FROM triple t JOIN incoming_reading r USING (predicate_id)
WHERE t.retired_change IS NULL AND t.id IN (SELECT id FROM incoming_new)

-- find_crowded
-- Of whom more than one triple says something; for very many new ones it is faster to begin with these.
CREATE OR REPLACE TEMP TABLE crowded AS
SELECT CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END AS holder
FROM triple t JOIN incoming_reading r USING (predicate_id)
WHERE t.retired_change IS NULL
GROUP BY holder HAVING min(t.id) <> max(t.id)

-- read_new_crowded
-- The same of these alone.
CREATE OR REPLACE TEMP TABLE said_now AS
SELECT t.id, r.relation, CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END AS holder,
       CASE WHEN r.turned THEN t.subject_id ELSE t.object_id END AS held, t.valid_from, t.valid_to
FROM triple t JOIN incoming_reading r USING (predicate_id)
WHERE t.retired_change IS NULL
  AND CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END IN (SELECT holder FROM crowded)
  AND t.id IN (SELECT id FROM incoming_new)

-- read_around
-- What all triples in force say of the holders of the new ones.
CREATE OR REPLACE TEMP TABLE said AS
SELECT t.id, r.relation, CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END AS holder,
       CASE WHEN r.turned THEN t.subject_id ELSE t.object_id END AS held, t.valid_from, t.valid_to
FROM triple t JOIN incoming_reading r USING (predicate_id)
WHERE t.retired_change IS NULL
  AND CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END IN (SELECT holder FROM said_now)

-- find_rivals
-- Of the functional relations what one holder has several of. What is said with dates and without is dated.
CREATE OR REPLACE TEMP TABLE rival AS
WITH several AS (
  SELECT relation, holder FROM said
  WHERE relation IN (SELECT relation FROM incoming_functional)
  GROUP BY relation, holder HAVING count(*) > 1 AND count(DISTINCT id) > 1),
dated AS (
  SELECT s.*, bool_or(s.valid_from IS NOT NULL OR s.valid_to IS NOT NULL)
                OVER (PARTITION BY s.relation, s.holder, s.held) AS has_dates
  FROM said s JOIN several USING (relation, holder))
SELECT id, relation, holder, held, valid_from, valid_to, id IN (SELECT id FROM said_now) AS is_new,
       count(*) OVER (PARTITION BY relation, holder) AS rivals,
       row_number() OVER (PARTITION BY relation, holder ORDER BY id) AS place,
       row_number() OVER (PARTITION BY relation, holder ORDER BY valid_from NULLS FIRST, id) AS turn
FROM dated WHERE valid_from IS NOT NULL OR valid_to IS NOT NULL OR NOT has_dates

-- find_clashes
-- Pairs that cannot both hold. Of very many rivals a new one is compared with the first and those nearest in time.
CREATE OR REPLACE TEMP TABLE clash AS
WITH compared AS (
  SELECT n.id, m.id AS other_id, n.relation, n.held, m.held AS other_held,
         n.valid_from, n.valid_to, m.valid_from AS other_from, m.valid_to AS other_to
  FROM rival n JOIN rival m USING (relation, holder)
  WHERE n.is_new AND m.place <= $most
  UNION
  SELECT n.id, m.id, n.relation, n.held, m.held, n.valid_from, n.valid_to, m.valid_from, m.valid_to
  FROM (SELECT *, unnest(range(-$near, $near + 1)) AS away FROM rival WHERE is_new AND rivals > $most) n
  JOIN rival m ON m.relation = n.relation AND m.holder = n.holder AND m.turn = n.turn + n.away),
rivals AS (
  SELECT id, other_id, f.name AS why, CASE WHEN held = other_held THEN 'interval' ELSE 'functional' END AS kind,
         valid_from, valid_to, other_from, other_to
  FROM compared JOIN incoming_functional f USING (relation)
  WHERE held <> other_held OR valid_from IS DISTINCT FROM other_from OR valid_to IS DISTINCT FROM other_to),
opposed AS (
  SELECT n.id, m.id AS other_id, NULL AS why, 'opposite' AS kind,
         n.valid_from, n.valid_to, m.valid_from AS other_from, m.valid_to AS other_to
  FROM said_now n
  JOIN incoming_opposite o USING (relation)
  JOIN said m ON m.relation = o.other AND m.holder = n.holder AND m.held = n.held)
SELECT DISTINCT ON (least(id, other_id), greatest(id, other_id))
       least(id, other_id) AS triple_id, greatest(id, other_id) AS other_id, kind, why
FROM (FROM rivals UNION ALL FROM opposed)
WHERE id <> other_id AND coalesce(other_from < valid_to, true) AND coalesce(valid_from < other_to, true)
ORDER BY least(id, other_id), greatest(id, other_id), kind

-- no_clashes
-- None, where no relation is watched.
CREATE OR REPLACE TEMP TABLE clash
(triple_id BIGINT, other_id BIGINT, kind VARCHAR, why VARCHAR)

-- types_met
-- Between which types the offered triples stand.
SELECT DISTINCT t.predicate_id, s.type AS subject_type, o.type AS object_type
FROM triple t JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
WHERE t.id IN (SELECT id FROM incoming_new)

-- add_misfits
-- The offered triples that stand between types between which they cannot.
INSERT INTO clash
SELECT t.id, NULL, 'type', r.why
FROM triple t JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
JOIN incoming_refusal r
  ON r.predicate_id = t.predicate_id AND r.subject_type = s.type AND r.object_type = o.type
WHERE t.retired_change IS NULL AND t.id IN (SELECT id FROM incoming_new)

-- word_clashes
-- What is no conflict in force yet, each side in words and in the order of the words, whichever came first.
CREATE OR REPLACE TEMP TABLE worded AS
WITH spoken AS (
  SELECT t.id, s.name || ' ' || p.name || ' ' || o.name
         || coalesce(' from ' || strftime(t.valid_from, '%Y-%m-%d'), '')
         || coalesce(' until ' || strftime(t.valid_to, '%Y-%m-%d'), '') AS words
  FROM triple t JOIN entity s ON s.id = t.subject_id JOIN predicate p ON p.id = t.predicate_id
  JOIN entity o ON o.id = t.object_id
  WHERE t.id IN (SELECT triple_id FROM clash UNION ALL SELECT other_id FROM clash))
SELECT nextval('conflict_id') AS id, *, NULL::VARCHAR AS verdict, NULL::VARCHAR AS reason
FROM (
  SELECT c.kind, CASE WHEN b.words < a.words THEN b.id ELSE a.id END AS triple_id,
         CASE WHEN b.words < a.words THEN a.id ELSE b.id END AS other_id,
         CASE c.kind
           WHEN 'type' THEN a.words || ': ' || c.why
           WHEN 'functional' THEN least(a.words, b.words) || ' contradicts ' || greatest(a.words, b.words) || ': '
                                  || c.why || ' has one object at a time'
           WHEN 'interval' THEN least(a.words, b.words) || ' overlaps ' || greatest(a.words, b.words)
                                || ': the dates disagree'
           ELSE least(a.words, b.words) || ' contradicts ' || greatest(a.words, b.words)
                || ': these are opposites' END AS detail
  FROM clash c JOIN spoken a ON a.id = c.triple_id LEFT JOIN spoken b ON b.id = c.other_id
  WHERE NOT EXISTS (
    SELECT 1 FROM conflict k
    WHERE k.retired_change IS NULL AND k.triple_id IN (c.triple_id, c.other_id)
      AND CASE WHEN c.other_id IS NULL THEN k.other_id IS NULL ELSE k.other_id IN (c.triple_id, c.other_id) END)
  ORDER BY c.triple_id, c.other_id)

-- may_recall
-- Whether there are new conflicts, and any was ever resolved.
SELECT count(*) FROM (SELECT 1 FROM worded LIMIT 1) WHERE EXISTS (SELECT 1 FROM conflict WHERE verdict IS NOT NULL)

-- recall_verdicts
-- The newest verdict on what says the same, by names, for ids go with a document: both stay as they did, or words tell.
UPDATE worded SET verdict = r.verdict, reason = r.reason, detail = worded.detail || r.told
FROM (
  WITH asked AS (
    SELECT id, triple_id, other_id, NULL AS verdict, NULL AS reason FROM worded
    UNION ALL
    SELECT id, triple_id, other_id, verdict, reason FROM conflict
    WHERE verdict IS NOT NULL AND recorded_change NOT IN (SELECT change_id FROM undone)),
  saying AS (
    SELECT t.id, concat_ws('|', lower(s.name), coalesce(lower(s.type), ''), t.predicate_id, lower(o.name),
                           coalesce(lower(o.type), ''), coalesce(t.valid_from::VARCHAR, '-'),
                           coalesce(t.valid_to::VARCHAR, '-')) AS says
    FROM triple t JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
    WHERE t.id IN (SELECT triple_id FROM asked UNION ALL SELECT other_id FROM asked)),
  compared AS (
    SELECT k.*, least(a.says, b.says) AS one, coalesce(greatest(a.says, b.says), '') AS other
    FROM asked k JOIN saying a ON a.id = k.triple_id LEFT JOIN saying b ON b.id = k.other_id
    WHERE k.other_id IS NULL OR b.id IS NOT NULL),
  newest AS (
    SELECT one, other, other_id IS NULL AS alone, max_by(struct_pack(
             verdict := verdict, reason := reason, kept := if(verdict = 'first', triple_id, other_id)), id) AS was
    FROM compared WHERE verdict IS NOT NULL GROUP BY ALL),
  recalled AS (
    SELECT c.id, n.was, n.was.verdict = 'both' OR (n.alone AND n.was.verdict = 'first') AS stands
    FROM compared c JOIN newest n ON n.one = c.one AND n.other = c.other AND n.alone = (c.other_id IS NULL)
    WHERE c.verdict IS NULL)
  SELECT c.id, if(c.stands, c.was.verdict, NULL) AS verdict, if(c.stands, c.was.reason, NULL) AS reason,
         if(c.stands, '', '; was resolved before: ' || coalesce(
           'kept ' || s.name || ' ' || p.name || ' ' || o.name
           || coalesce(' from ' || strftime(t.valid_from, '%Y-%m-%d'), '')
           || coalesce(' until ' || strftime(t.valid_to, '%Y-%m-%d'), ''), 'dropped')
           || ', because: ' || c.was.reason) AS told
  FROM recalled c LEFT JOIN triple t ON t.id = c.was.kept LEFT JOIN entity s ON s.id = t.subject_id
  LEFT JOIN predicate p ON p.id = t.predicate_id LEFT JOIN entity o ON o.id = t.object_id) r
WHERE r.id = worded.id

-- add_conflicts
-- Record them.
INSERT INTO conflict
SELECT id, kind, triple_id, other_id, detail, verdict, reason, $now, $change, NULL, NULL FROM worded

-- worded_conflicts
-- The first of the open ones in words, and how many there are.
SELECT detail, count(*) OVER () FROM worded WHERE verdict IS NULL ORDER BY id LIMIT $limit

-- stale_conflicts
-- Open ones without one of their triples, resolved ones without one that was kept, and those that are dated elsewhere.
WITH side AS (
  SELECT id, kind, verdict, unnest(['first', 'second']) AS place, unnest([triple_id, other_id]) AS triple_id
  FROM conflict WHERE retired_change IS NULL)
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
-- Whether any conflict is in force.
SELECT count(*) FROM (SELECT 1 FROM conflict WHERE retired_change IS NULL LIMIT 1)

-- retire_conflicts
-- They are no longer in force.
UPDATE conflict SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND id IN (SELECT unnest($ids::BIGINT[]))

-- triples_to_compare
-- What this change has put in force, and triples without dates of which it has retired a dated saying.
SELECT t.id, t.predicate_id
FROM triple t
WHERE t.retired_change IS NULL AND t.recorded_change = $change
UNION
SELECT t.id, t.predicate_id
FROM triple t
JOIN triple d ON d.subject_id = t.subject_id AND d.predicate_id = t.predicate_id AND d.object_id = t.object_id
WHERE t.retired_change IS NULL AND t.valid_from IS NULL AND t.valid_to IS NULL
  AND d.retired_change = $change AND (d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL)

-- undated_beside
-- What says the same as a triple, without dates.
SELECT u.id
FROM triple t JOIN triple u USING (subject_id, predicate_id, object_id)
WHERE t.id = $id AND u.id <> $id AND u.retired_change IS NULL AND u.valid_from IS NULL AND u.valid_to IS NULL

-- conflicts_after
-- Conflicts in force, the oldest first; as of a moment, only those of triples that held then.
SELECT k.id, k.kind, k.triple_id, k.other_id, k.detail, k.verdict, k.reason, k.recorded_at
FROM conflict k
WHERE k.retired_change IS NULL AND k.id > $after
  AND ($open IS NULL OR (k.verdict IS NULL) = $open::BOOLEAN)
  AND ($as_of IS NULL OR NOT EXISTS (
    SELECT 1 FROM triple t
    WHERE t.id IN (k.triple_id, k.other_id) AND (t.valid_from > $as_of OR t.valid_to <= $as_of)))
ORDER BY k.id LIMIT $limit

-- count_conflicts
-- How many there are.
SELECT count(*)
FROM conflict k
WHERE k.retired_change IS NULL
  AND ($open IS NULL OR (k.verdict IS NULL) = $open::BOOLEAN)
  AND ($as_of IS NULL OR NOT EXISTS (
    SELECT 1 FROM triple t
    WHERE t.id IN (k.triple_id, k.other_id) AND (t.valid_from > $as_of OR t.valid_to <= $as_of)))

-- conflict_by_id
-- One conflict, in force or not.
SELECT id, kind, triple_id, other_id, detail, verdict, reason, recorded_at, retired_change
FROM conflict WHERE id = $id

-- resolve_conflict
-- The same conflict with its verdict.
INSERT INTO conflict
SELECT $new_id, kind, $triple, $other, detail, $verdict, $reason, $now, $change, NULL, NULL
FROM conflict WHERE id = $id

-- last_evidence
-- The evidence of triples that are no longer in force, as it was when they were.
SELECT v.triple_id, v.id FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.triple_id IN (SELECT unnest($ids::BIGINT[])) AND t.retired_change IS NOT NULL
  AND v.retired_change = t.retired_change
ORDER BY v.confidence DESC, v.id

-- said_in
-- Who says a triple: the source given with it, and the chunk.
SELECT triple_id, source, chunk_id FROM evidence WHERE triple_id IN ({ids}) AND retired_change IS NULL

-- find_superseded
-- The triples in force that offered ones supersede: same holder, functional relation, something else held, begun before.
SELECT n.position, s.id, coalesce(n.valid_from, $now) AS moment
FROM (
  SELECT i.position, i.valid_from, i.valid_to, r.relation,
         CASE WHEN r.turned THEN i.object_id ELSE i.subject_id END AS holder,
         CASE WHEN r.turned THEN i.subject_id ELSE i.object_id END AS held
  FROM incoming_superseding i JOIN incoming_reading r USING (predicate_id)) n
JOIN (
  SELECT t.id, r.relation, t.valid_from, t.valid_to,
         CASE WHEN r.turned THEN t.object_id ELSE t.subject_id END AS holder,
         CASE WHEN r.turned THEN t.subject_id ELSE t.object_id END AS held
  FROM triple t JOIN incoming_reading r USING (predicate_id)
  WHERE t.retired_change IS NULL) s
  ON s.relation = n.relation AND s.holder = n.holder AND s.held <> n.held
WHERE coalesce(s.valid_from < coalesce(n.valid_from, $now), true)
  AND coalesce(coalesce(n.valid_from, $now) < s.valid_to, true)
  AND coalesce(coalesce(n.valid_from, $now) < n.valid_to, true)

-- close_triples
-- The same triples with the end of their validity, but for what is stored in just that form.
CREATE OR REPLACE TEMP TABLE closed AS
SELECT i.id AS old_id, c.id IS NULL AS is_new,
       coalesce(c.id, min(nextval('triple_id')) OVER (PARTITION BY t.subject_id, t.predicate_id, t.object_id, t.valid_from, i.moment)) AS id,
       t.subject_id, t.predicate_id, t.object_id, t.confidence, t.valid_from, i.moment AS valid_to, t.properties
FROM incoming_end i JOIN triple t ON t.id = i.id
LEFT JOIN triple c
  ON c.retired_change IS NULL AND c.subject_id = t.subject_id AND c.predicate_id = t.predicate_id
 AND c.object_id = t.object_id AND c.valid_from IS NOT DISTINCT FROM t.valid_from AND c.valid_to = i.moment

-- add_closed
-- Store them.
INSERT INTO triple
SELECT DISTINCT ON (id) id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties,
       $now, $change, NULL, NULL
FROM closed WHERE is_new

-- move_superseded_evidence
-- Their evidence with them.
INSERT INTO evidence
SELECT * EXCLUDE (new_id) REPLACE (nextval('evidence_id') AS id, new_id AS triple_id, $now AS recorded_at,
                                   $change AS recorded_change)
FROM (SELECT v.*, c.id AS new_id FROM evidence v JOIN closed c ON c.old_id = v.triple_id WHERE v.retired_change IS NULL)

-- closed_ids
-- The old and the new id of each.
SELECT old_id, id FROM closed
