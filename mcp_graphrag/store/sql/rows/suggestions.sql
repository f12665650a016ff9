-- compared_names
-- The active names, valid in every document, each form once; about some entities, those with a common word or initial.
-- Dates are left out: two that are written differently are two.
WITH wanted AS (
  SELECT norm FROM entity_alias WHERE retired_change IS NULL AND list_contains($about::BIGINT[], entity_id))
SELECT row_number() OVER () AS id, n.*, list_contains($persons::JSON::VARCHAR[], type) AS is_person,
       length(norm) - length(replace(norm, ' ', '')) AS spaces, string_split(norm, ' ')[-1] AS last,
       regexp_extract_all(norm, $marks) AS marks
FROM (
  SELECT a.entity_id, a.norm, min(a.name) AS name, any_value(type_key(e.type)) AS type
  FROM entity_alias a JOIN entity e ON e.id = a.entity_id
  WHERE a.retired_change IS NULL AND a.document_id IS NULL AND e.retired_change IS NULL
    AND type_key(e.type) IS DISTINCT FROM 'date' AND (
    $about IS NULL OR a.norm[1] IN (SELECT norm[1] FROM wanted) OR list_has_any(string_split(a.norm, ' '),
      (SELECT flatten(list(string_split(norm, ' '))) FROM wanted)))
  GROUP BY a.entity_id, a.norm) n

-- equal_names
-- Pairs of names with one normal form, or that differ only in what separates their words, numbers apart.
WITH joined AS MATERIALIZED (
  SELECT entity_id, norm, name, regexp_replace(norm, '[-\s_.,;:/''"()\[\]]+', '', 'g') AS joined FROM compared_name)
SELECT x.entity_id AS a, y.entity_id AS b, if(x.norm = y.norm, 1, 2) AS how, 1 AS similarity, 0 AS edits,
       x.name AS name, y.name AS other
FROM joined x JOIN joined y
  ON x.joined = y.joined AND x.entity_id < y.entity_id
WHERE x.joined <> ''
  AND ($about IS NULL OR list_contains($about::BIGINT[], x.entity_id) OR list_contains($about::BIGINT[], y.entity_id))
  AND (x.norm = y.norm OR regexp_extract_all(x.norm, '[0-9]+') = regexp_extract_all(y.norm, '[0-9]+'))

-- acronyms
-- Acronyms with exactly one long form among all names.
WITH short AS (SELECT entity_id, norm, name FROM compared_name WHERE regexp_full_match(name, '[A-Z][A-Z0-9]{1,6}')),
words AS (
  SELECT entity_id, norm, name,
         list_filter(regexp_split_to_array(name, '[\s\-/]+'), lambda w: regexp_matches(w, '^[\p{L}\p{N}&]')) AS words
  FROM compared_name WHERE NOT is_person AND regexp_matches(name, '[\s\-/]') AND upper(name[1]) IN (SELECT name[1] FROM short)),
long AS (
  SELECT entity_id, norm, name, upper(array_to_string(list_transform(words, lambda w: w[1]), '')) AS letters FROM words
  UNION
  SELECT entity_id, norm, name, upper(array_to_string(list_transform(list_filter(words, lambda w: lower(w) NOT IN
    ('of', 'the', 'and', 'for', 'in', 'on', 'de', 'la', 'du', 'der', 'von', '&')), lambda w: w[1]), '')) FROM words),
sole AS (
  SELECT letters, any_value(entity_id) AS entity_id, any_value(name) AS name
  FROM long WHERE letters IN (SELECT name FROM short) GROUP BY letters HAVING count(DISTINCT norm) = 1)
SELECT least(s.entity_id, l.entity_id) AS a, greatest(s.entity_id, l.entity_id) AS b, 3 AS how, 1 AS similarity,
       0 AS edits, s.name AS name, l.name AS other
FROM short s JOIN sole l ON l.letters = s.name
WHERE s.entity_id <> l.entity_id
  AND ($about IS NULL OR list_contains($about::BIGINT[], s.entity_id) OR list_contains($about::BIGINT[], l.entity_id))

-- legal_forms
-- Pairs of names of which one has the legal form of a company, and the other is the same name without it.
WITH formed AS (
  SELECT entity_id, name, regexp_replace(norm, $legal_form, '') AS stem FROM compared_name
  WHERE NOT is_person AND regexp_matches(norm, $legal_form))
SELECT least(f.entity_id, n.entity_id) AS a, greatest(f.entity_id, n.entity_id) AS b, 8 AS how, 1 AS similarity,
       0 AS edits, f.name AS name, n.name AS other
FROM formed f JOIN compared_name n ON n.norm = f.stem
WHERE f.entity_id <> n.entity_id AND NOT n.is_person
  AND ($about IS NULL OR list_contains($about::BIGINT[], f.entity_id) OR list_contains($about::BIGINT[], n.entity_id))

-- name_keys
-- What similar names have in common: a rare word, or how they begin and end; in a small graph the first letter.
WITH keyed AS MATERIALIZED (
  SELECT id, hash(unnest(list_distinct(list_append(string_split(norm, ' '), norm[1:5] || '…' || norm[-3:])))) AS key,
         50 AS max_names
  FROM compared_name
  UNION ALL SELECT id, hash('…' || norm[1]), 2000 FROM compared_name WHERE $small)
SELECT k.key, k.id FROM keyed k
JOIN (SELECT key FROM keyed GROUP BY key HAVING count(*) BETWEEN 2 AND any_value(max_names)) r USING (key)
WHERE $about IS NULL OR k.key IN (
  SELECT key FROM keyed JOIN compared_name n USING (id) WHERE list_contains($about::BIGINT[], n.entity_id))

-- key_pairs
-- Pairs of names with a common key; a query of its own, or the names would be compared before they are paired.
SELECT DISTINCT k.id AS x, j.id AS y FROM name_key k JOIN name_key j ON j.key = k.key AND k.id < j.id

-- similar_names
-- Of those, pairs with similar spelling, or of persons with common names; one join per step: there are no statistics.
WITH half AS MATERIALIZED (
  SELECT p.y, x.entity_id AS xe, x.norm AS xn, x.name, x.is_person, x.type, x.spaces, x.last, x.marks FROM key_pair p
  JOIN compared_name x ON x.id = p.x),
paired AS MATERIALIZED (
  SELECT h.xe, y.entity_id AS ye, h.xn, y.norm AS yn, h.name, y.name AS other,
         h.marks = y.marks AS same_marks, h.spaces = y.spaces AS even, h.last = y.last AND h.xn[1] = y.norm[1] AS ends_alike,
         (h.is_person OR y.is_person) AND (h.is_person OR h.type = '') AND (y.is_person OR y.type = '') AS persons
  FROM half h JOIN compared_name y ON y.id = h.y
  -- No two names of more different length reach 0.93; parts of persons' names do not have to.
  WHERE least(length(h.xn), length(y.norm)) >= 0.65 * greatest(length(h.xn), length(y.norm))
     OR h.is_person OR y.is_person)
SELECT *, jaro_winkler_similarity(xn, yn) AS similarity FROM paired
WHERE xe <> ye AND xn <> yn
  AND ($about IS NULL OR list_contains($about::BIGINT[], xe) OR list_contains($about::BIGINT[], ye))
  AND ((persons AND even AND ends_alike) OR jaro_winkler_similarity(xn, yn) >= 0.93 OR (persons AND NOT even AND (
    list_has_all(string_split(xn, ' '), string_split(yn, ' '))
    OR list_has_all(string_split(yn, ' '), string_split(xn, ' ')))))

-- similar_spellings
-- Of those, pairs with similar spelling, also of their last part, and the same numbers and other marks of a series;
-- not a place and its people (Austria, Austrian).
SELECT least(xe, ye) AS a, greatest(xe, ye) AS b, 4 AS how, similarity, damerau_levenshtein(xn, yn) AS edits,
       name, other, greatest(xn, yn) = least(xn, yn) || 's' AS plural
FROM similar_name
WHERE similarity >= 0.93 AND same_marks
  AND NOT (greatest(xn, yn) = least(xn, yn) || 'n' AND least(xn, yn)[-1] = 'a')
  AND (NOT regexp_matches(xn, '^\S+[./:]\S+$')
    OR regexp_extract(xn, '^.*[./:]') <> regexp_extract(yn, '^.*[./:]')
    OR jaro_winkler_similarity(regexp_extract(xn, '[^./:]+$'), regexp_extract(yn, '[^./:]+$')) >= 0.93)

-- person_names
-- Of those, persons one of whom is called by some of the names of the other, or by initials of them.
WITH split AS (
  SELECT *, string_split(xn, ' ') AS xs, string_split(yn, ' ') AS ys FROM similar_name
  WHERE persons AND regexp_extract_all(xn, $generations) = regexp_extract_all(yn, $generations)),
contained AS (
  SELECT *, if(len(xs) < len(ys), xn, yn) AS short FROM split
  WHERE len(xs) <> len(ys) AND (list_has_all(xs, ys) OR list_has_all(ys, xs)))
SELECT least(xe, ye) AS a, greatest(xe, ye) AS b, 5 AS how,
       1 / (SELECT count(*) FROM contained o WHERE o.short = c.short) AS similarity, 0 AS edits, name, other
FROM contained c
UNION ALL
SELECT least(xe, ye), greatest(xe, ye), 6, 1, 0, name, other FROM split
WHERE len(xs) = len(ys) AND len(xs) > 1 AND xs[-1] = ys[-1]
  AND list_transform(xs, lambda w: w[1]) = list_transform(ys, lambda w: w[1])
  AND list_bool_and(list_transform(range(1, len(xs)), lambda i: xs[i] = ys[i] OR len(xs[i]) = 1 OR len(ys[i]) = 1))

-- suggested_pairs
-- Every pair once with its most similar names, unless it was decided on before. A page is not what it is about, and a
-- section is no document.
WITH pair AS (
  FROM equal_name UNION ALL BY NAME FROM acronym UNION ALL BY NAME FROM similar_spelling
  UNION ALL BY NAME FROM person_name UNION ALL BY NAME FROM legal_form),
suggested AS (
  SELECT p.a, p.b, bit_or((1 << p.how)::INTEGER) AS hows,
         min(p.edits) FILTER (p.how = 4) AS edits, coalesce(bool_or(p.plural), false) AS plural, arg_max(length(p.name) + length(p.other), p.similarity) AS length,
         max(p.similarity) FILTER (p.how = 5) AS share, arg_min(p.name, p.how) AS name, arg_min(p.other, p.how) AS other
  FROM pair p JOIN entity x ON x.id = p.a JOIN entity y ON y.id = p.b
  WHERE (coalesce(type_key(x.type), '') = 'document') = (coalesce(type_key(y.type), '') = 'document')
    AND NOT coalesce(type_key(x.type) = 'document' AND (contains(x.name, ' > ') OR contains(y.name, ' > ')), false)
    AND (p.a, p.b) NOT IN (SELECT (entity_id, other_id) FROM distinct_pair WHERE retired_change IS NULL)
    -- A split says that the two are distinct, an undo does not.
    AND (p.a, p.b) NOT IN (
      SELECT (least(kept_id, merged_id), greatest(kept_id, merged_id)) FROM merge
      WHERE retired_change IS NULL OR retired_change NOT IN (SELECT id FROM change WHERE tool = 'undo'))
  GROUP BY p.a, p.b)
SELECT s.a, s.b, s.hows, coalesce(s.edits, 0) AS edits, s.plural, s.length,
       coalesce(s.share, 0) AS share, least(s.name, s.other) AS name, greatest(s.name, s.other) AS other,
       x.norm = y.norm AND type_key(x.type) = type_key(y.type) AS kept_apart,
       x.type AS type, y.type AS other_type
FROM suggested s JOIN entity x ON x.id = s.a JOIN entity y ON y.id = s.b ORDER BY s.a, s.b

-- suggested_neighbours
-- Of each pair how many neighbours both have, how many either has, and whether a triple connects them; without hubs.
WITH ends AS (SELECT a AS id FROM incoming_pair UNION SELECT b FROM incoming_pair),
near AS (
  SELECT subject_id AS id, object_id AS neighbour FROM triple t
  WHERE retired_change IS NULL AND subject_id IN (FROM ends) AND is_of_names(t)
  UNION
  SELECT object_id, subject_id FROM triple WHERE retired_change IS NULL AND object_id IN (FROM ends)),
sized AS (SELECT id, count(*) AS size FROM near GROUP BY id HAVING count(*) <= 1000),
shared AS (
  SELECT s.a, s.b, count(*) AS shared
  FROM incoming_pair s JOIN sized z ON z.id = s.a JOIN sized w ON w.id = s.b
  JOIN near x ON x.id = s.a JOIN near y ON y.id = s.b AND y.neighbour = x.neighbour
  GROUP BY s.a, s.b),
linked AS (SELECT DISTINCT s.a, s.b FROM incoming_pair s JOIN near x ON x.id = s.a AND x.neighbour = s.b)
SELECT s.a, s.b, coalesce(h.shared, 0) AS shared,
       coalesce(z.size, 0) + coalesce(w.size, 0) - coalesce(h.shared, 0) AS either, l.a IS NOT NULL AS linked
FROM incoming_pair s
LEFT JOIN shared h ON h.a = s.a AND h.b = s.b LEFT JOIN linked l ON l.a = s.a AND l.b = s.b
LEFT JOIN sized z ON z.id = s.a LEFT JOIN sized w ON w.id = s.b
WHERE h.a IS NOT NULL OR l.a IS NOT NULL ORDER BY s.a, s.b
