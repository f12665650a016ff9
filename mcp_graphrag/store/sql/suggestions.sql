-- suggest_names
-- The names in force, valid everywhere, each form of an entity once; about some only what shares a word or first letter.
CREATE OR REPLACE TEMP TABLE suggest_name AS
WITH asked AS (
  SELECT norm FROM entity_alias WHERE retired_change IS NULL AND list_contains($about::BIGINT[], entity_id))
SELECT row_number() OVER () AS id, n.*, list_contains($persons::JSON::VARCHAR[], type) AS is_person,
       length(norm) - length(replace(norm, ' ', '')) AS spaces, string_split(norm, ' ')[-1] AS last
FROM (
  SELECT a.entity_id, a.norm, min(a.name) AS name, any_value(regexp_replace(lower(e.type), '[\s_-]', '', 'g')) AS type
  FROM entity_alias a JOIN entity e ON e.id = a.entity_id
  WHERE a.retired_change IS NULL AND a.document_id IS NULL AND e.retired_change IS NULL AND (
    $about IS NULL OR a.norm[1] IN (SELECT norm[1] FROM asked) OR list_has_any(string_split(a.norm, ' '),
      (SELECT flatten(list(string_split(norm, ' '))) FROM asked)))
  GROUP BY a.entity_id, a.norm) n

-- suggest_none
-- No pairs yet: which two entities, by which of their names, how these are alike, and how much.
CREATE OR REPLACE TEMP TABLE suggest_pair (
  a BIGINT, b BIGINT, how UTINYINT, likeness DOUBLE, edits INTEGER, name VARCHAR, other VARCHAR)

-- suggest_equal
-- Names of one normal form, and names that differ only in what separates their words, numbers apart.
INSERT INTO suggest_pair
WITH joined AS MATERIALIZED (
  SELECT entity_id, norm, name, regexp_replace(norm, '[^\p{L}\p{N}\p{M}+#]+', '', 'g') AS joined FROM suggest_name)
SELECT x.entity_id, y.entity_id, if(x.norm = y.norm, 1, 2), 1, 0, x.name, y.name
FROM joined x JOIN joined y
  ON x.joined = y.joined AND x.entity_id < y.entity_id
WHERE x.joined <> ''
  AND ($about IS NULL OR list_contains($about::BIGINT[], x.entity_id) OR list_contains($about::BIGINT[], y.entity_id))
  AND (x.norm = y.norm OR regexp_extract_all(x.norm, '[0-9]+') = regexp_extract_all(y.norm, '[0-9]+'))

-- suggest_acronyms
-- Acronyms with exactly one long form among all names.
INSERT INTO suggest_pair
WITH short AS (SELECT entity_id, norm, name FROM suggest_name WHERE regexp_full_match(name, '[A-Z][A-Z0-9]{1,6}')),
words AS (
  SELECT entity_id, norm, name,
         list_filter(regexp_split_to_array(name, '[\s\-/]+'), lambda w: regexp_matches(w, '^[\p{L}\p{N}&]')) AS words
  FROM suggest_name WHERE regexp_matches(name, '[\s\-/]') AND upper(name[1]) IN (SELECT name[1] FROM short)),
long AS (
  SELECT entity_id, norm, name, upper(array_to_string(list_transform(words, lambda w: w[1]), '')) AS letters FROM words
  UNION
  SELECT entity_id, norm, name, upper(array_to_string(list_transform(list_filter(words, lambda w: lower(w) NOT IN
    ('of', 'the', 'and', 'for', 'in', 'on', 'de', 'la', 'du', 'der', 'von', '&')), lambda w: w[1]), '')) FROM words),
sole AS (
  SELECT letters, any_value(entity_id) AS entity_id, any_value(name) AS name
  FROM long WHERE letters IN (SELECT name FROM short) GROUP BY letters HAVING count(DISTINCT norm) = 1)
SELECT least(s.entity_id, l.entity_id), greatest(s.entity_id, l.entity_id), 3, 1, 0, s.name, l.name
FROM short s JOIN sole l ON l.letters = s.name
WHERE s.entity_id <> l.entity_id
  AND ($about IS NULL OR list_contains($about::BIGINT[], s.entity_id) OR list_contains($about::BIGINT[], l.entity_id))

-- suggest_keys
-- What names that are alike have in common: a rare word, or how they begin and end; in a small graph the first letter.
CREATE OR REPLACE TEMP TABLE suggest_key AS
WITH keyed AS MATERIALIZED (
  SELECT id, hash(unnest(list_distinct(list_append(string_split(norm, ' '), norm[1:5] || '…' || norm[-3:])))) AS key,
         50 AS most
  FROM suggest_name
  UNION ALL SELECT id, hash('…' || norm[1]), 2000 FROM suggest_name WHERE $small)
SELECT k.key, k.id FROM keyed k
JOIN (SELECT key FROM keyed GROUP BY key HAVING count(*) BETWEEN 2 AND any_value(most)) r USING (key)
WHERE $about IS NULL OR k.key IN (
  SELECT key FROM keyed JOIN suggest_name n USING (id) WHERE list_contains($about::BIGINT[], n.entity_id))

-- suggest_blocks
-- Pairs of names within a key; a step of its own, or the names would be compared before they are paired.
CREATE OR REPLACE TEMP TABLE suggest_block AS
SELECT DISTINCT k.id AS x, j.id AS y FROM suggest_key k JOIN suggest_key j ON j.key = k.key AND k.id < j.id

-- suggest_alike
-- Of those, pairs of like spelling, or of persons with names in common; one join a step, for want of statistics.
CREATE OR REPLACE TEMP TABLE suggest_alike AS
WITH half AS MATERIALIZED (
  SELECT p.y, x.entity_id AS xe, x.norm AS xn, x.name, x.is_person, x.type, x.spaces, x.last FROM suggest_block p
  JOIN suggest_name x ON x.id = p.x),
paired AS MATERIALIZED (
  SELECT h.xe, y.entity_id AS ye, h.xn, y.norm AS yn, h.name, y.name AS other,
         h.spaces = y.spaces AS even, h.last = y.last AND h.xn[1] = y.norm[1] AS ends_alike,
         (h.is_person OR y.is_person) AND (h.is_person OR h.type = '') AND (y.is_person OR y.type = '') AS persons
  FROM half h JOIN suggest_name y ON y.id = h.y
  -- No two names of more different length reach 0.93; parts of persons' names do not have to.
  WHERE least(length(h.xn), length(y.norm)) >= 0.65 * greatest(length(h.xn), length(y.norm))
     OR h.is_person OR y.is_person)
SELECT *, jaro_winkler_similarity(xn, yn) AS likeness FROM paired
WHERE xe <> ye AND xn <> yn
  AND ($about IS NULL OR list_contains($about::BIGINT[], xe) OR list_contains($about::BIGINT[], ye))
  AND ((persons AND even AND ends_alike) OR jaro_winkler_similarity(xn, yn) >= 0.93 OR (persons AND NOT even AND (
    list_has_all(string_split(xn, ' '), string_split(yn, ' '))
    OR list_has_all(string_split(yn, ' '), string_split(xn, ' ')))))

-- suggest_spelled
-- Of those, pairs of like spelling, in their last part too, with the same numbers, generations and single letters.
INSERT INTO suggest_pair
SELECT least(xe, ye), greatest(xe, ye), 4, likeness, damerau_levenshtein(xn, yn), name, other
FROM suggest_alike
WHERE likeness >= 0.93 AND regexp_extract_all(xn, $marks) = regexp_extract_all(yn, $marks)
  AND (NOT regexp_matches(xn, '^\S+[./:]\S+$')
    OR regexp_extract(xn, '^.*[./:]') <> regexp_extract(yn, '^.*[./:]')
    OR jaro_winkler_similarity(regexp_extract(xn, '[^./:]+$'), regexp_extract(yn, '[^./:]+$')) >= 0.93)

-- suggest_persons
-- Of those, persons of whom one is called by some of the other's names, or by initials of them.
INSERT INTO suggest_pair
WITH split AS (
  SELECT *, string_split(xn, ' ') AS xs, string_split(yn, ' ') AS ys FROM suggest_alike
  WHERE persons AND regexp_extract_all(xn, $generations) = regexp_extract_all(yn, $generations)),
contained AS (
  SELECT *, if(len(xs) < len(ys), xn, yn) AS short FROM split
  WHERE len(xs) <> len(ys) AND (list_has_all(xs, ys) OR list_has_all(ys, xs)))
SELECT least(xe, ye), greatest(xe, ye), 5, 1 / (SELECT count(*) FROM contained o WHERE o.short = c.short), 0, name, other
FROM contained c
UNION ALL
SELECT least(xe, ye), greatest(xe, ye), 6, 1, 0, name, other FROM split
WHERE len(xs) = len(ys) AND len(xs) > 1 AND xs[-1] = ys[-1]
  AND list_transform(xs, lambda w: w[1]) = list_transform(ys, lambda w: w[1])
  AND list_bool_and(list_transform(range(1, len(xs)), lambda i: xs[i] = ys[i] OR len(xs[i]) = 1 OR len(ys[i]) = 1))

-- suggest_pairs
-- Every pair once, with the likest names, unless somebody has decided on it before, or one is a section of a document.
CREATE OR REPLACE TEMP TABLE suggested AS
SELECT p.a, p.b, bit_or((1 << p.how)::INTEGER) AS hows,
       min(p.edits) FILTER (p.how = 4) AS edits, arg_max(length(p.name) + length(p.other), p.likeness) AS length,
       max(p.likeness) FILTER (p.how = 5) AS share, arg_min(p.name, p.how) AS name, arg_min(p.other, p.how) AS other
FROM suggest_pair p JOIN entity x ON x.id = p.a JOIN entity y ON y.id = p.b
WHERE NOT coalesce(lower(x.type) = 'document' AND lower(y.type) = 'document'
                   AND (contains(x.name, ' > ') OR contains(y.name, ' > ')), false)
  AND (p.a, p.b) NOT IN (SELECT (entity_id, other_id) FROM distinct_pair WHERE retired_change IS NULL)
  AND (p.a, p.b) NOT IN (SELECT (least(kept_id, merged_id), greatest(kept_id, merged_id)) FROM merge)
GROUP BY p.a, p.b

-- suggested_pairs
-- Those, with the types of both.
SELECT s.a, s.b, s.hows, coalesce(s.edits, 0) AS edits, s.length,
       coalesce(s.share, 0) AS share, least(s.name, s.other) AS name, greatest(s.name, s.other) AS other, x.type AS type,
       y.type AS other_type
FROM suggested s JOIN entity x ON x.id = s.a JOIN entity y ON y.id = s.b ORDER BY s.a, s.b

-- suggested_neighbours
-- Of each pair how many neighbours both have, how many either has, and whether a triple stands between them; no hubs.
WITH ends AS (SELECT a AS id FROM suggested UNION SELECT b FROM suggested),
near AS (
  SELECT subject_id AS id, object_id AS neighbour FROM triple
  WHERE retired_change IS NULL AND subject_id IN (FROM ends)
  UNION
  SELECT object_id, subject_id FROM triple WHERE retired_change IS NULL AND object_id IN (FROM ends)),
sized AS (SELECT id, count(*) AS size FROM near GROUP BY id HAVING count(*) <= 1000),
shared AS (
  SELECT s.a, s.b, count(*) AS shared
  FROM suggested s JOIN sized z ON z.id = s.a JOIN sized w ON w.id = s.b
  JOIN near x ON x.id = s.a JOIN near y ON y.id = s.b AND y.neighbour = x.neighbour
  GROUP BY s.a, s.b),
linked AS (SELECT DISTINCT s.a, s.b FROM suggested s JOIN near x ON x.id = s.a AND x.neighbour = s.b)
SELECT s.a, s.b, coalesce(h.shared, 0) AS shared, coalesce(z.size, 0) + coalesce(w.size, 0) - coalesce(h.shared, 0) AS either,
       l.a IS NOT NULL AS linked
FROM suggested s
LEFT JOIN shared h ON h.a = s.a AND h.b = s.b LEFT JOIN linked l ON l.a = s.a AND l.b = s.b
LEFT JOIN sized z ON z.id = s.a LEFT JOIN sized w ON w.id = s.b
WHERE h.a IS NOT NULL OR l.a IS NOT NULL ORDER BY s.a, s.b

-- name_count
-- How many names are looked at.
SELECT count(*) FROM suggest_name

-- forget_suggestions
-- Nothing of it stays.
DROP TABLE IF EXISTS suggest_name; DROP TABLE IF EXISTS suggest_pair; DROP TABLE IF EXISTS suggest_key;
DROP TABLE IF EXISTS suggest_block; DROP TABLE IF EXISTS suggest_alike; DROP TABLE IF EXISTS suggested
