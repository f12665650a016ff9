-- same_triple(a, b)
-- Both state the same: unknown times are equal.
{a}.subject_id = {b}.subject_id AND {a}.predicate_id = {b}.predicate_id AND {a}.object_id = {b}.object_id
 AND {a}.valid_from IS NOT DISTINCT FROM {b}.valid_from AND {a}.valid_to IS NOT DISTINCT FROM {b}.valid_to

-- same_evidence(a, b)
-- Both cite the same: a span of a chunk, a quote, a source. The triple and the extractor are compared beside it.
{a}.chunk_id IS NOT DISTINCT FROM {b}.chunk_id AND {a}.start_offset IS NOT DISTINCT FROM {b}.start_offset
 AND {a}.end_offset IS NOT DISTINCT FROM {b}.end_offset AND {a}.quote IS NOT DISTINCT FROM {b}.quote
 AND {a}.source IS NOT DISTINCT FROM {b}.source

-- mention_key(m)
-- What stands for the id of a mention, which has none, within one process.
(hash({m}.chunk_id, {m}.entity_id, {m}.start_offset, {m}.end_offset, {m}.extractor) >> 1)::BIGINT

-- value_key(v)
-- The same of a value.
(hash({v}.chunk_id, {v}.entity_id, {v}.predicate_id, {v}.start_offset, {v}.end_offset, {v}.extractor) >> 1)::BIGINT

-- name_key(a)
-- The same of a name.
(hash({a}.entity_id, {a}.name, {a}.norm, {a}.origin, {a}.document_id, {a}.said_in) >> 1)::BIGINT

-- is_phrase(e)
-- Whether an entity is words of a text, stored as the object of triples: it has no name, no vector and an id below 0.
({e}.id < 0)

-- is_of_names(t)
-- Whether a triple is between names: its object is no phrase (see `is_phrase`).
({t}.object_id > 0)

-- is_of_history(d)
-- Whether a document tells of commits: it is found by name and by its triples, never by search.
starts_with({d}.media_type, 'text/x-git-')

-- not_searched()
-- The chunks that are not searched: a parent is found by its children.
SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL
  UNION ALL SELECT k.id FROM chunk k JOIN document d ON d.id = k.document_id WHERE starts_with(d.media_type, 'text/x-git-')

-- is_searched(c)
-- Whether a chunk is none of these.
NOT EXISTS (SELECT 1 FROM chunk k WHERE k.parent_id = {c}.id)
  AND NOT EXISTS (SELECT 1 FROM document d WHERE d.id = {c}.document_id AND starts_with(d.media_type, 'text/x-git-'))

-- is_decision(c)
-- Whether a change is one by which a caller decided on triples; the removal of a document is none.
list_contains($decisions::JSON::VARCHAR[], {c}.tool) AND NOT EXISTS (FROM document d WHERE d.retired_change = {c}.id)

-- same_scope(a, b)
-- Both names hold for the same document and come from the same one.
{a}.document_id IS NOT DISTINCT FROM {b}.document_id AND {a}.said_in IS NOT DISTINCT FROM {b}.said_in

-- holder(t, r)
-- The entity that a triple gives a relation to, in one reading of its predicate.
CASE WHEN {r}.turned THEN {t}.object_id ELSE {t}.subject_id END

-- held(t, r)
-- The entity at the other end of the relation.
CASE WHEN {r}.turned THEN {t}.subject_id ELSE {t}.object_id END

-- valid_at(t, moment)
-- Whether a triple holds in the world at a moment. One without dates does not if the same is stored with dates, nor
-- does one that is only said in the past tense.
(coalesce({t}.valid_from <= {moment}, true) AND coalesce({moment} < {t}.valid_to, true)
 AND {t}.said_until IS NULL
 AND ({t}.valid_from IS NOT NULL OR {t}.valid_to IS NOT NULL
      OR NOT EXISTS (
        SELECT 1 FROM triple d
        WHERE {moment} IS NOT NULL AND d.retired_change IS NULL AND (d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL)
          AND d.said_until IS NULL
          AND d.subject_id = {t}.subject_id AND d.predicate_id = {t}.predicate_id AND d.object_id = {t}.object_id)))

-- type_key(type)
-- The form in which types are compared, like `type_key` in Python.
regexp_replace(lower({type}), '[\s_-]', '', 'g')

-- dotted(name)
-- A qualified name with "." between its parts.
replace(replace({name}, '::', '.'), '/', '.')

-- spelling(name, type)
-- What tells names of one normal form apart, like `spelling` in Python.
CASE WHEN type_key({type}) IN ('class', 'function', 'method', 'module', 'variable') THEN {name}
     WHEN contains(trim({name}, '_()'), '_') AND regexp_full_match({name}, '[\pL\pN_]+(\(\))?')
       THEN if({name} = upper({name}), 'constant', 'variable')
     WHEN regexp_full_match({name}, '\pL\pL+\(\)') AND substring({name}, 2) = lower(substring({name}, 2))
       THEN 'function' ELSE '' END

-- told_apart_by_titles(wanted)
-- The names of entities, of those in a table, that titles tell apart: "Name (1962 film)" and "Name (1994 film)".
SELECT e.norm FROM document d JOIN chunk c ON c.document_id = d.id JOIN mention m ON m.chunk_id = c.id
JOIN entity e ON e.id = m.entity_id
WHERE d.retired_change IS NULL AND d.title LIKE '%_ (%)' AND m.retired_change IS NULL
  AND starts_with(lower(d.title), lower(m.name) || ' (') AND e.norm IN (SELECT norm FROM {wanted})
GROUP BY e.norm HAVING count(DISTINCT substring(lower(d.title), length(m.name) + 2)) > 1

-- alias_hash(a)
-- A name as the hash of its normal form, with what it names.
md5_number_lower({a}.norm) AS hash, {a}.entity_id, {a}.origin <> 'name' AS is_alias,
       {a}.document_id IS NOT NULL AS in_document

-- document_date(d)
-- The latest date in a document's metadata (date, updated, publishDate …), else when it was ingested.
coalesce(list_max([
  TRY_CAST(json_extract_string({d}.metadata, '/' || replace(replace(key, '~', '~0'), '/', '~1')) AS TIMESTAMP)
  FOR key IN json_keys({d}.metadata)
  IF regexp_full_match(regexp_replace(lower(key), '[^a-z]', '', 'g'),
    '(last)?(date|updated|modified|mod|reviewed|publish(ed)?|created)(at|on|date)?|dateupdated')
]), {d}.recorded_at)

-- metadata_values(d, name)
-- The values in a document's metadata under a key in any case, those of a list one by one. By JSON pointers: in a path
-- "*" is a wildcard even in quotes, and an empty key illegal.
flatten([coalesce(TRY_CAST(json_extract({d}.metadata, pointer) AS VARCHAR[]),
                  [json_extract_string({d}.metadata, pointer)])
         FOR pointer IN ['/' || replace(replace(key, '~', '~0'), '/', '~1')
                         FOR key IN json_keys({d}.metadata) IF lower(key) = lower({name})]])

-- document_columns(d)
-- The columns of a document, in the order of `document_from_row`.
{d}.id, {d}.uri, {d}.title, {d}.source, {d}.media_type, {d}.metadata, {d}.sha256, {d}.length, {d}.recorded_at,
       {d}.retired_at, {d}.file_time, {d}.language

-- conflict_columns(k)
-- The columns of a conflict, in the order of `ConflictRow`.
{k}.id, {k}.kind, {k}.triple_id, {k}.other_id, {k}.detail, {k}.verdict, {k}.reason, {k}.recorded_at

-- conflict_is_listed(k)
-- Whether a conflict is active, open or resolved as wanted, and of triples that hold at a moment.
{k}.retired_change IS NULL
  AND ({k}.verdict IS NULL) = $open::BOOLEAN
  AND ($as_of IS NULL OR NOT EXISTS (
    SELECT 1 FROM triple t
    WHERE t.id IN ({k}.triple_id, {k}.other_id) AND (t.valid_from > $as_of OR t.valid_to <= $as_of)))

-- job_columns(j)
-- The columns of a job, in the order of `Job`.
{j}.id, {j}.kind, {j}.state, {j}.client, {j}.total, {j}.done, {j}.report, {j}.error

-- graph_columns(t)
-- The columns of a triple in the graph in memory: times in microseconds, open ends at the ends of BIGINT.
{t}.id, {t}.subject_id, {t}.predicate_id, {t}.object_id, {t}.confidence, {t}.recorded_change,
       coalesce(epoch_us({t}.valid_from), -9223372036854775807) AS valid_from,
       coalesce(epoch_us({t}.valid_to), 9223372036854775807) AS valid_to,
       coalesce(epoch_us({t}.said_until), 9223372036854775807) AS said_until

-- edge_columns(e)
-- The columns of a chunk edge, in the order of `ChunkEdge`.
{e}.source_id, {e}.target_id, {e}.relation, {e}.weight, {e}.description, {e}.extractor

-- value_columns(v, c)
-- The columns of a value and the change that recorded it, in the order of `_stated`.
{v}.entity_id, {v}.predicate_id, {v}.value, {v}.chunk_id, {v}.start_offset, {v}.end_offset, {v}.extractor,
       {v}.confidence, {v}.surface, {c}.recorded_at

-- value_matches(v)
-- Whether a value is active and matches a pattern; NULL matches all. The ids stand in place of what is in braces.
{v}.retired_change IS NULL AND {subjects} AND {predicates} AND {documents}
  AND ($text IS NULL OR lower({v}.value) = lower($text)
       OR ({v}.number = $number AND ends_with({v}.value, $unit)))
  AND {v}.confidence >= $min_confidence::REAL
  AND ($subject_types IS NULL OR {v}.entity_id IN (
    SELECT id FROM entity e WHERE list_contains($subject_types::JSON::VARCHAR[], regexp_replace(lower(e.type), '[\s_-]', '', 'g'))))

-- known_then(v, generation)
-- Whether a row without an id was active after a change.
({v}.recorded_change <= {generation} AND ({v}.retired_change IS NULL OR {v}.retired_change > {generation}))

-- per_source(v, c)
-- One independent source of a triple, grouped by triple and source: its best confidence, and what confirmations add.
coalesce('document ' || {c}.document_id, 'source ' || {v}.source, 'extractor ' || {v}.extractor) AS source_key,
           coalesce(max({v}.confidence) FILTER ({v}.extractor <> 'outcome'), 0)::DOUBLE AS best,
           coalesce(sum({v}.confidence) FILTER ({v}.extractor = 'outcome'), 0) AS boost

-- latest_said(e)
-- Up to when rows of evidence together say that it holds: without limit (NULL) if one of them does.
CASE WHEN count({e}.said_until) = count(*) THEN max({e}.said_until) END

-- combined_confidence()
-- Noisy-or over the independent sources of a triple, plus confirmations, at most 1.
least(1, 1 - product(1 - best) + sum(boost))

-- is_unsupported(e)
-- Whether nothing mentions an entity or gives it a value, no active triple names it and nobody declared it.
NOT EXISTS (SELECT 1 FROM mention u WHERE u.entity_id = {e}.id AND u.retired_change IS NULL)
  AND NOT EXISTS (SELECT 1 FROM entity_value u WHERE u.entity_id = {e}.id AND u.retired_change IS NULL)
  AND NOT EXISTS (SELECT 1 FROM triple u WHERE u.subject_id = {e}.id AND u.retired_change IS NULL)
  AND NOT EXISTS (SELECT 1 FROM triple u WHERE u.object_id = {e}.id AND u.retired_change IS NULL)
  AND NOT EXISTS (
    SELECT 1 FROM entity_alias u WHERE u.entity_id = {e}.id AND u.retired_change IS NULL AND u.said_in IS NULL)

-- known_ids(table, generation)
-- The rows of a table that were active after a change.
SELECT id FROM {table}
  WHERE recorded_change <= {generation} AND (retired_change IS NULL OR retired_change > {generation})
  UNION SELECT id FROM past
  WHERE kind = '{table}' AND recorded_change <= {generation} AND retired_change > {generation}

-- is_from(d)
-- Whether a document has one of some sources: its uri, its title or what it was given as its source.
(list_contains($sources::JSON::VARCHAR[], {d}.uri) OR list_contains($sources::JSON::VARCHAR[], {d}.title)
 OR list_contains($sources::JSON::VARCHAR[], {d}.source))

-- data_of(x)
-- A pair of name and value as an element of GraphML, without the characters that XML does not have.
'">' || replace(replace(replace(regexp_replace({x}[2], '[\x00-\x08\x0B\x0C\x0E-\x1F]', '', 'g'),
  '&', '&amp;'), '<', '&lt;'), '>', '&gt;') || '</data>'

-- resource_of(kind, name)
-- The name of a thing in RDF.
'<urn:mcp-graphrag:' || {kind} || ':' || url_encode({name}) || '>'

-- unless_empty(text)
-- A JSON text, NULL for one without anything in it.
nullif(nullif({text}::VARCHAR, '[]'), '{{}}')
