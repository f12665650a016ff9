-- problem_document_twice
-- Active documents with the uri of a newer one.
SELECT d.id, d.uri AS what FROM document d
WHERE d.retired_change IS NULL AND EXISTS (
  SELECT 1 FROM document n WHERE n.retired_change IS NULL AND n.uri = d.uri AND n.id > d.id)

-- problem_document_without_chunks
-- Active documents whose chunks are all retired.
SELECT d.id, d.uri AS what FROM document d
WHERE d.retired_change IS NULL AND d.id IN (SELECT document_id FROM chunk)
  AND d.id NOT IN (SELECT document_id FROM chunk WHERE retired_change IS NULL)

-- problem_document_text_differs
-- Active documents of which a part of the text is in no active chunk, or not as it was stored.
SELECT d.id, d.uri AS what FROM document d LEFT JOIN (
  SELECT document_id, sum(end_offset - start_offset) AS length, bool_and(sha256(text) = sha256) AS same
  FROM chunk WHERE retired_change IS NULL AND parent_id IS NULL GROUP BY document_id) c ON c.document_id = d.id
WHERE d.retired_change IS NULL AND (coalesce(c.length, 0) <> d.length OR NOT coalesce(c.same, true))

-- problem_document_read_in_part
-- Active documents of which an extractor has read some top-level chunks and not others.
SELECT c.document_id AS id, any_value(d.uri) || ' by ' || x.extractor AS what
FROM extraction x JOIN chunk c ON c.id = x.chunk_id JOIN document d ON d.id = c.document_id
WHERE d.retired_change IS NULL
GROUP BY c.document_id, x.extractor
HAVING count(DISTINCT c.id) < (SELECT count(*) FROM chunk o WHERE o.document_id = c.document_id AND o.parent_id IS NULL)

-- problem_chunk_without_document
-- Active chunks of documents that are not, or children of chunks that are not.
SELECT c.id, 'chunk ' || c.id || ' of document ' || c.document_id AS what FROM chunk c
WHERE c.retired_change IS NULL
  AND (c.document_id NOT IN (SELECT id FROM document WHERE retired_change IS NULL)
       OR (c.parent_id IS NOT NULL AND c.parent_id NOT IN (SELECT id FROM chunk WHERE retired_change IS NULL)))

-- problem_mention_without_chunk
-- Active mentions in chunks that are not.
SELECT mention_key(m) AS id, coalesce(m.name, 'entity ' || m.entity_id) || ' in chunk ' || m.chunk_id AS what FROM mention m
WHERE m.retired_change IS NULL AND m.chunk_id NOT IN (SELECT id FROM chunk WHERE retired_change IS NULL)

-- problem_mention_without_entity
-- Active mentions of entities that are not.
SELECT mention_key(m) AS id, coalesce(m.name, '') || ' (entity ' || m.entity_id || ')' AS what FROM mention m
WHERE m.retired_change IS NULL AND m.entity_id NOT IN (SELECT id FROM entity WHERE retired_change IS NULL)

-- problem_mention_outside_chunk
-- Active mentions whose span is not inside their chunk. That of a module is empty: its file is it, without naming it.
SELECT mention_key(m) AS id, coalesce(m.name, '') || ' at ' || m.start_offset || ' in chunk ' || c.id AS what
FROM mention m JOIN chunk c ON c.id = m.chunk_id
WHERE m.retired_change IS NULL
  AND (m.start_offset < c.start_offset OR m.end_offset > c.end_offset OR m.start_offset > m.end_offset)

-- problem_value_without_chunk
-- Active values in chunks that are not.
SELECT value_key(v) AS id, v.value || ' in chunk ' || v.chunk_id AS what FROM entity_value v
WHERE v.retired_change IS NULL AND v.chunk_id NOT IN (SELECT id FROM chunk WHERE retired_change IS NULL)

-- problem_value_without_entity
-- Active values of entities that are not, or of predicates that are not in the file.
SELECT value_key(v) AS id, v.value || ' (entity ' || v.entity_id || ')' AS what FROM entity_value v
WHERE v.retired_change IS NULL
  AND (v.entity_id NOT IN (SELECT id FROM entity WHERE retired_change IS NULL)
       OR v.predicate_id NOT IN (SELECT id FROM predicate))

-- problem_value_not_in_text
-- Active values that are not what their chunk says at that place.
SELECT value_key(v) AS id, c.id || ': ' || v.value[1:80] AS what FROM entity_value v JOIN chunk c ON c.id = v.chunk_id
WHERE v.retired_change IS NULL
  AND (v.start_offset < c.start_offset OR v.end_offset > c.end_offset
       OR substring(c.text, v.start_offset - c.start_offset + 1, v.end_offset - v.start_offset) <> v.value)

-- problem_triple_without_entity
-- Active triples whose subject or object is not.
SELECT t.id, 'triple ' || t.id || ' from entity ' || t.subject_id || ' to ' || t.object_id AS what FROM triple t
WHERE t.retired_change IS NULL
  AND (t.subject_id NOT IN (SELECT id FROM entity WHERE retired_change IS NULL)
       OR t.object_id NOT IN (SELECT id FROM entity WHERE retired_change IS NULL)
       OR t.predicate_id NOT IN (SELECT id FROM predicate))

-- problem_triple_without_evidence
-- Active triples that no active evidence but confirmations supports.
SELECT t.id, coalesce(s.name || ' ' || p.name || ' ' || o.name, 'triple ' || t.id) AS what
FROM triple t LEFT JOIN entity s ON s.id = t.subject_id LEFT JOIN predicate p ON p.id = t.predicate_id
LEFT JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL
  AND t.id NOT IN (SELECT triple_id FROM evidence WHERE retired_change IS NULL AND extractor <> 'outcome')

-- problem_triple_without_time
-- Active triples that hold at no moment.
SELECT t.id, coalesce(s.name || ' ' || p.name || ' ' || o.name, 'triple ' || t.id)
       || strftime(t.valid_from, ': %Y-%m-%d') || strftime(t.valid_to, ' to %Y-%m-%d') AS what
FROM triple t LEFT JOIN entity s ON s.id = t.subject_id LEFT JOIN predicate p ON p.id = t.predicate_id
LEFT JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL AND t.valid_to <= t.valid_from

-- problem_triple_twice
-- Active triples that state the same as an older one.
SELECT t.id, coalesce(s.name || ' ' || p.name || ' ' || o.name, 'triple ' || t.id) AS what
FROM triple t LEFT JOIN entity s ON s.id = t.subject_id LEFT JOIN predicate p ON p.id = t.predicate_id
LEFT JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL AND EXISTS (
  SELECT 1 FROM triple b WHERE b.retired_change IS NULL AND b.id < t.id AND same_triple(b, t))

-- problem_triple_confidence
-- Active triples whose confidence is not that of their evidence.
SELECT t.id, 'triple ' || t.id || ': ' || round(t.confidence, 3) || ' for ' || round(f.confidence, 3) AS what
FROM triple t JOIN (
  SELECT triple_id, combined_confidence() AS confidence
  FROM (
    SELECT v.triple_id, per_source(v, c)
    FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id
    WHERE v.retired_change IS NULL GROUP BY v.triple_id, source_key)
  GROUP BY triple_id) f ON f.triple_id = t.id
WHERE t.retired_change IS NULL AND abs(t.confidence - f.confidence) > 0.0001

-- problem_evidence_without_triple
-- Active evidence of triples that are not.
SELECT v.id, 'evidence ' || v.id || ' of triple ' || v.triple_id AS what FROM evidence v
WHERE v.retired_change IS NULL AND v.triple_id NOT IN (SELECT id FROM triple WHERE retired_change IS NULL)

-- problem_evidence_without_chunk
-- Active evidence in chunks that are not.
SELECT v.id, 'evidence ' || v.id || ' in chunk ' || v.chunk_id AS what FROM evidence v
WHERE v.retired_change IS NULL AND v.chunk_id IS NOT NULL
  AND v.chunk_id NOT IN (SELECT id FROM chunk WHERE retired_change IS NULL)

-- problem_quote_not_in_text
-- Active evidence whose quote is not what its chunk says at that place, as far as the chunk goes.
SELECT v.id, c.id || ': ' || v.quote[1:80] AS what FROM evidence v JOIN chunk c ON c.id = v.chunk_id
WHERE v.retired_change IS NULL AND v.quote IS NOT NULL AND CASE
  WHEN v.start_offset IS NULL THEN NOT contains(c.context || c.text, v.quote)
  WHEN v.start_offset < c.start_offset OR v.start_offset >= c.end_offset THEN true
  ELSE substring(c.text, v.start_offset - c.start_offset + 1, length(v.quote))
       <> substring(v.quote, 1, c.end_offset - v.start_offset) END

-- problem_name_without_entity
-- Active names of entities that are not.
SELECT name_key(a) AS id, a.name || ' (entity ' || a.entity_id || ')' AS what FROM entity_alias a
WHERE a.retired_change IS NULL AND a.entity_id NOT IN (SELECT id FROM entity WHERE retired_change IS NULL)

-- problem_name_of_retired_document
-- Active names that come from documents that are not, but for those that a merge gave.
SELECT name_key(a) AS id, a.name || ' (entity ' || a.entity_id || ')' AS what FROM entity_alias a
WHERE a.retired_change IS NULL AND a.origin <> 'merge'
  AND ((a.said_in > 0 AND a.said_in NOT IN (SELECT id FROM document WHERE retired_change IS NULL))
       OR (a.document_id IS NOT NULL AND a.document_id NOT IN (SELECT id FROM document WHERE retired_change IS NULL)))

-- problem_entity_without_name
-- Active entities without a name, or that cannot be found by theirs, as all but phrases can.
SELECT e.id, 'entity ' || e.id || ' ' || e.name AS what FROM entity e
WHERE e.retired_change IS NULL
  AND (trim(e.name) = '' OR (NOT is_phrase(e) AND (e.id, e.norm) NOT IN (
    SELECT (entity_id, norm) FROM entity_alias WHERE retired_change IS NULL AND document_id IS NULL)))

-- problem_entity_twice
-- Active entities with the name and type of an older one, but for people, pairs kept apart and what titles tell apart.
WITH twice AS (
  SELECT norm FROM entity WHERE retired_change IS NULL GROUP BY norm, type_key(type) HAVING count(*) > 1),
told_apart AS (told_apart_by_titles(twice))
SELECT e.id, e.name || if(e.type = '', '', ' (' || e.type || ')') AS what FROM entity e
WHERE e.retired_change IS NULL AND NOT is_phrase(e) AND e.norm IN (FROM twice) AND EXISTS (
  SELECT 1 FROM entity b
  WHERE b.retired_change IS NULL AND NOT is_phrase(b)
    AND b.norm = e.norm AND type_key(b.type) = type_key(e.type) AND b.id < e.id
    AND spelling(b.name, b.type) = spelling(e.name, e.type)
    AND NOT EXISTS (SELECT 1 FROM distinct_pair d
                    WHERE d.retired_change IS NULL AND d.entity_id = b.id AND d.other_id = e.id))
  AND e.norm NOT IN (SELECT norm FROM entity WHERE retired_change IS NULL AND type_key(type) IN ('person', 'per'))
  AND (e.norm NOT IN (FROM told_apart) OR type_key(e.type) IN ('date', 'role', 'document'))

-- problem_entity_without_support
-- Active entities that nothing mentions, names or declares.
SELECT e.id, e.name AS what FROM entity e WHERE e.retired_change IS NULL AND is_unsupported(e)

-- problem_edge_without_chunk
-- Active chunk edges from or to chunks that are not.
SELECT e.id, e.source_id || ' ' || e.relation || ' ' || e.target_id AS what FROM chunk_edge e
WHERE e.retired_change IS NULL
  AND (e.source_id NOT IN (SELECT id FROM chunk WHERE retired_change IS NULL)
       OR e.target_id NOT IN (SELECT id FROM chunk WHERE retired_change IS NULL))

-- problem_conflict_without_triple
-- Open conflicts of triples that are not active.
SELECT k.id, k.detail AS what FROM conflict k
WHERE k.retired_change IS NULL AND k.verdict IS NULL
  AND (k.triple_id NOT IN (SELECT id FROM triple WHERE retired_change IS NULL)
       OR (k.other_id IS NOT NULL AND k.other_id NOT IN (SELECT id FROM triple WHERE retired_change IS NULL)))

-- problem_reference_to_nothing
-- Rows, active or retired, that refer to rows that are not in the file.
SELECT id, what FROM (
  SELECT id, 'chunk ' || id || ': document ' || document_id AS what FROM chunk
  WHERE document_id NOT IN (SELECT id FROM document)
  UNION ALL SELECT mention_key(mention), 'mention: chunk ' || chunk_id FROM mention WHERE chunk_id NOT IN (SELECT id FROM chunk)
  UNION ALL SELECT mention_key(mention), 'mention: entity ' || entity_id FROM mention WHERE entity_id NOT IN (SELECT id FROM entity)
  UNION ALL SELECT name_key(entity_alias), 'name ' || name || ': entity ' || entity_id FROM entity_alias
  WHERE entity_id NOT IN (SELECT id FROM entity)
  UNION ALL SELECT value_key(entity_value), 'value ' || value || ': chunk ' || chunk_id || ' or entity ' || entity_id FROM entity_value
  WHERE chunk_id NOT IN (SELECT id FROM chunk) OR entity_id NOT IN (SELECT id FROM entity)
  UNION ALL SELECT id, 'triple ' || id || ': entity ' || subject_id || ' or ' || object_id FROM triple
  WHERE subject_id NOT IN (SELECT id FROM entity) OR object_id NOT IN (SELECT id FROM entity)
  UNION ALL SELECT id, 'evidence ' || id || ': triple ' || triple_id FROM evidence
  WHERE triple_id NOT IN (SELECT id FROM triple)
  UNION ALL SELECT id, 'evidence ' || id || ': chunk ' || chunk_id FROM evidence
  WHERE chunk_id IS NOT NULL AND chunk_id NOT IN (SELECT id FROM chunk)
  UNION ALL SELECT id, 'chunk edge ' || id || ': chunk ' || source_id || ' or ' || target_id FROM chunk_edge
  WHERE source_id NOT IN (SELECT id FROM chunk) OR target_id NOT IN (SELECT id FROM chunk)
  UNION ALL SELECT id, 'conflict ' || id || ': triple ' || triple_id FROM conflict
  WHERE triple_id NOT IN (SELECT id FROM triple)
     OR (other_id IS NOT NULL AND other_id NOT IN (SELECT id FROM triple))
  UNION ALL SELECT id, 'merge ' || id || ': entity ' || kept_id || ' or ' || merged_id FROM merge
  WHERE kept_id NOT IN (SELECT id FROM entity) OR merged_id NOT IN (SELECT id FROM entity)
  UNION ALL SELECT chunk_id, 'extraction: chunk ' || chunk_id FROM extraction WHERE chunk_id NOT IN (SELECT id FROM chunk)
  UNION ALL SELECT id, 'earlier values: ' || kind || ' ' || id FROM past
  WHERE CASE kind
    WHEN 'document' THEN id NOT IN (SELECT id FROM document)
    WHEN 'chunk' THEN id NOT IN (SELECT id FROM chunk)
    WHEN 'entity' THEN id NOT IN (SELECT id FROM entity)
    WHEN 'triple' THEN id NOT IN (SELECT id FROM triple)
    WHEN 'evidence' THEN id NOT IN (SELECT id FROM evidence)
    WHEN 'chunk_edge' THEN id NOT IN (SELECT id FROM chunk_edge)
    WHEN 'conflict' THEN id NOT IN (SELECT id FROM conflict)
    WHEN 'merge' THEN id NOT IN (SELECT id FROM merge)
    ELSE false END)

-- problem_row_without_change
-- Rows recorded or retired by a change that is not in the log.
SELECT id, what FROM (
  SELECT id, 'document ' || id AS what, recorded_change, retired_change FROM document
  UNION ALL SELECT id, 'chunk ' || id, recorded_change, retired_change FROM chunk
  UNION ALL SELECT id, 'entity ' || id, recorded_change, retired_change FROM entity
  UNION ALL SELECT id, 'triple ' || id, recorded_change, retired_change FROM triple
  UNION ALL SELECT id, 'evidence ' || id, recorded_change, retired_change FROM evidence
  UNION ALL SELECT mention_key(mention), 'mention in chunk ' || chunk_id, recorded_change, retired_change FROM mention
  UNION ALL SELECT value_key(entity_value), 'value in chunk ' || chunk_id, recorded_change, retired_change FROM entity_value
  UNION ALL SELECT name_key(entity_alias), 'name ' || name, recorded_change, retired_change FROM entity_alias
  UNION ALL SELECT id, 'merge ' || id, recorded_change, retired_change FROM merge
  UNION ALL SELECT id, 'conflict ' || id, recorded_change, retired_change FROM conflict)
WHERE recorded_change NOT IN (SELECT id FROM change)
   OR (retired_change IS NOT NULL AND retired_change NOT IN (SELECT id FROM change))

-- problem_job_of_nobody
-- Jobs that are recorded as running although no process runs them.
SELECT j.id, 'job ' || j.id AS what FROM job j
WHERE j.state = 'running' AND NOT list_contains($running::BIGINT[], j.id)

-- problem_chunk_not_searched
-- Active chunks without children that have no postings.
SELECT c.id, 'chunk ' || c.id AS what FROM chunk c
WHERE c.retired_change IS NULL AND c.id NOT IN (not_searched())
  AND c.id NOT IN (SELECT chunk_id FROM chunk_length)

-- problem_posting_of_nothing
-- Postings and lengths of chunks that are not in the file, and postings of unknown terms.
SELECT id, what FROM (
  SELECT chunk_id AS id, 'chunk ' || chunk_id AS what FROM chunk_length WHERE chunk_id NOT IN (SELECT id FROM chunk)
  UNION SELECT chunk_id, 'chunk ' || chunk_id FROM posting WHERE chunk_id NOT IN (SELECT id FROM chunk)
  UNION SELECT chunk_id, 'term ' || term_id FROM posting WHERE term_id NOT IN (SELECT id FROM term))

-- problem_vector_of_nothing
-- Vectors of chunks and entities that are not in the file.
SELECT id, what FROM (
  SELECT chunk_id AS id, 'chunk ' || chunk_id AS what FROM chunk_embedding WHERE chunk_id NOT IN (SELECT id FROM chunk)
  UNION ALL SELECT chunk_id, 'chunk ' || chunk_id FROM model_embedding WHERE chunk_id NOT IN (SELECT id FROM chunk)
  UNION ALL SELECT entity_id, 'entity ' || entity_id FROM entity_embedding
  WHERE entity_id NOT IN (SELECT id FROM entity))

-- count_problem
-- How many rows a check finds.
SELECT count(*) FROM ({check}) found

-- examples_of_problem
-- The first rows that a check finds, in words.
SELECT what FROM ({check}) found ORDER BY id LIMIT $limit

-- ids_of_problem
-- The rows that a check finds.
SELECT DISTINCT id FROM ({check}) found

-- retire_rows
-- Retire active rows by their id, or by what stands for it.
UPDATE {table} SET {retired} WHERE retired_change IS NULL AND {key} IN (SELECT id FROM incoming_id)

-- posted_terms
-- The terms of chunks with their frequencies.
SELECT p.chunk_id, t.term, p.frequency FROM posting p JOIN term t ON t.id = p.term_id WHERE p.chunk_id IN ({ids})

-- searched_lengths
-- The active chunks with postings, with their lengths.
SELECT l.chunk_id, l.length FROM chunk_length l JOIN chunk c ON c.id = l.chunk_id JOIN document d ON d.id = c.document_id
WHERE c.retired_change IS NULL ORDER BY l.chunk_id

-- delete_vectors_of_nothing
-- Delete the vectors of chunks and entities that are not in the file.
DELETE FROM chunk_embedding WHERE chunk_id IN FIRST (
  STANDARD SELECT e.chunk_id FROM chunk_embedding e WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.id = e.chunk_id));
DELETE FROM model_embedding WHERE chunk_id IN FIRST (
  STANDARD SELECT e.chunk_id FROM model_embedding e WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.id = e.chunk_id));
DELETE FROM entity_embedding WHERE entity_id IN FIRST (
  STANDARD SELECT v.entity_id FROM entity_embedding v WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.id = v.entity_id))

-- verified_counts
-- How many active rows there are of each kind.
SELECT (SELECT count(*) FROM document WHERE retired_change IS NULL) AS documents,
       (SELECT count(*) FROM chunk WHERE retired_change IS NULL) AS chunks,
       (SELECT count(*) FROM mention WHERE retired_change IS NULL) AS mentions,
       (SELECT count(*) FROM entity e WHERE retired_change IS NULL AND NOT is_phrase(e)) AS entities,
       (SELECT count(*) FROM triple WHERE retired_change IS NULL) AS triples,
       (SELECT count(*) FROM evidence WHERE retired_change IS NULL) AS evidence,
       (SELECT count(*) FROM chunk_edge WHERE retired_change IS NULL) AS chunk_edges,
       (SELECT count(*) FROM entity_value WHERE retired_change IS NULL) AS "values"

-- copy_evidence_of_duplicates
-- Copy the evidence of triples to the oldest that states the same, unless it is there.
INSERT INTO evidence
SELECT nextval('evidence_id'), k.id, v.chunk_id, v.start_offset, v.end_offset, v.quote, v.extractor, v.confidence,
       v.surface, v.source, $now, $change, NULL, NULL, v.subject_name, v.object_name, v.properties, v.said_until
FROM evidence v JOIN triple t ON t.id = v.triple_id
JOIN (SELECT min(id) AS id, subject_id, predicate_id, object_id, valid_from, valid_to FROM triple
      WHERE retired_change IS NULL GROUP BY ALL) k ON same_triple(k, t)
WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT id FROM found) AND NOT EXISTS (
  SELECT 1 FROM evidence o
  WHERE o.triple_id = k.id AND o.retired_change IS NULL AND o.extractor = v.extractor AND same_evidence(o, v))
