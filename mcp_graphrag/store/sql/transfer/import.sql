-- read_lines
-- The lines of an export.
SELECT coalesce(json->>'$.kind', '') AS kind, {json}::JSON AS json FROM read_ndjson_objects({path}, maximum_object_size = 268435456)

-- kinds_of_lines
-- How many lines there are of each kind.
SELECT kind, count(*) FROM incoming_line GROUP BY kind

-- names_of_lines
-- The names in the lines, each once.
SELECT json->>'$.name' AS name FROM incoming_line WHERE kind = 'entity'
UNION SELECT unnest(json->>'$.names[*].name') FROM incoming_line WHERE kind = 'entity'

-- predicates_of_lines
-- The predicates in the lines, each once.
SELECT name FROM (
  SELECT json->>'$.predicate' AS name FROM incoming_line WHERE kind = 'triple'
  UNION SELECT unnest(json->>'$.values[*].predicate') FROM incoming_line WHERE kind = 'chunk')
WHERE name <> '' ORDER BY name

-- given_chunks
-- The chunks of the lines.
SELECT unnest(json_transform(json, '{"document":"VARCHAR","ordinal":"INTEGER","parent":"INTEGER","start":"BIGINT","end":"BIGINT","headings":["VARCHAR"],"context":"VARCHAR","text":"VARCHAR","read_by":"JSON","mentions":"JSON","values":"JSON"}'))
FROM incoming_line WHERE kind = 'chunk'

-- given_documents
-- The documents of the lines, one of each uri, with what becomes of it; a stored text that is newer stays.
WITH line AS (
  SELECT unnest(json_transform(json, '{"uri":"VARCHAR","title":"VARCHAR","source":"VARCHAR","media_type":"VARCHAR","metadata":"JSON","sha256":"VARCHAR","length":"BIGINT","file_time":"TIMESTAMP","language":"VARCHAR"}'))
  FROM incoming_line WHERE kind = 'document'),
given AS (SELECT *, uri || '@' || left(sha256, 12) AS key FROM line),
whole AS (
  SELECT document AS key, sum("end" - start) AS length,
         bool_and("end" - start = length(text)) AND count(*) = count(DISTINCT ordinal) AS fits
  FROM given_chunk WHERE parent IS NULL GROUP BY document),
first AS (
  SELECT DISTINCT ON (g.uri) g.*, coalesce(w.length, 0) = g.length AND coalesce(w.fits, true) AS is_whole
  FROM given g LEFT JOIN whole w USING (key)
  WHERE g.uri IS NOT NULL AND g.sha256 IS NOT NULL
  ORDER BY g.uri, is_whole DESC, g.file_time DESC NULLS LAST, g.sha256)
SELECT f.*, d.id AS stored_id, nextval('document_id') AS new_id,
       CASE WHEN NOT f.is_whole THEN 'in part' WHEN d.id IS NULL THEN 'new' WHEN d.sha256 = f.sha256 THEN 'stored'
            WHEN d.file_time > f.file_time OR d.recorded_change > $since THEN 'older' ELSE 'changed' END AS fate
FROM first f LEFT JOIN document d ON d.uri = f.uri AND d.retired_change IS NULL

-- replaced_documents
-- The stored documents whose text is another in the lines.
SELECT stored_id FROM given_document WHERE fate = 'changed'

-- import_documents
-- Add the new documents.
INSERT INTO document
SELECT new_id, uri, coalesce(title, ''), coalesce(source, ''), coalesce(media_type, 'text/plain'),
       coalesce(metadata, '{}'), sha256, length, $now, $change, NULL, NULL, file_time, coalesce(language, '')
FROM given_document WHERE fate IN ('new', 'changed') ORDER BY new_id

-- placed_chunks
-- The chunks of the lines with their ids: new ones, or those that the stored document has at the same place.
SELECT g.document || '#' || g.ordinal AS key, g.*, d.fate IN ('new', 'changed') AS is_new,
       CASE WHEN d.fate = 'stored' THEN c.id ELSE nextval('chunk_id') END AS id,
       if(d.fate = 'stored', d.stored_id, d.new_id) AS document_id
FROM given_chunk g JOIN given_document d ON d.key = g.document AND d.fate IN ('new', 'changed', 'stored')
LEFT JOIN chunk c ON c.document_id = d.stored_id AND c.ordinal = g.ordinal AND c.start_offset = g.start
  AND c.end_offset = g.end AND c.retired_change IS NULL
WHERE d.fate <> 'stored' OR c.id IS NOT NULL

-- import_chunks
-- Add the chunks of new documents.
INSERT INTO chunk
SELECT c.id, c.document_id, p.id, c.ordinal, c.start, c.end, coalesce(c.headings, []), coalesce(c.context, ''),
       c.text, sha256(c.text), $now, $change, NULL, NULL
FROM placed_chunk c LEFT JOIN placed_chunk p ON p.document = c.document AND p.ordinal = c.parent
WHERE c.is_new ORDER BY c.id

-- imported_chunks
-- The new chunks that are searched, ascending.
SELECT id FROM placed_chunk WHERE is_new AND id NOT IN (not_searched()) ORDER BY id

-- placed_entities
-- The entities of the lines with their ids: of the stored one with the same name and type, or of the only one of that
-- name where one of both has no type, else new.
WITH line AS (
  SELECT unnest(json_transform(json, '{"key":"VARCHAR","name":"VARCHAR","type":"VARCHAR","type_from":"VARCHAR","phrase":"BOOLEAN","description":"VARCHAR","properties":"JSON","names":"JSON"}'))
  FROM incoming_line WHERE kind = 'entity'),
given AS (
  SELECT DISTINCT ON (key) l.* REPLACE (coalesce(type, '') AS type, coalesce(phrase, false) AS phrase), f.norm
  FROM line l JOIN given_form f USING (name) WHERE key IS NOT NULL
  ORDER BY key, length(description) DESC, description, length(properties::VARCHAR) DESC, properties::VARCHAR),
numbered AS (
  SELECT *, row_number() OVER (PARTITION BY norm, type_key(type), phrase, spelling(name, type) ORDER BY key) AS number,
         count(*) OVER (PARTITION BY norm) AS namesakes FROM given),
stored AS (
  SELECT e.id, e.norm, e.name, e.type, is_phrase(e) AS phrase,
         row_number() OVER (PARTITION BY norm, type_key(type), is_phrase(e), spelling(name, type)
                            ORDER BY description, properties::VARCHAR, id) AS number,
         count(*) OVER (PARTITION BY norm) AS namesakes
  FROM entity e WHERE retired_change IS NULL)
SELECT g.key, g.name, g.norm, g.type, g.type_from, g.phrase, g.description, g.properties, g.names,
       coalesce(s.id, o.id) AS stored_id,
       coalesce(s.id, o.id, if(g.phrase, -1 - nextval('entity_id'), nextval('entity_id'))) AS id
FROM numbered g
LEFT JOIN stored s ON s.norm = g.norm AND type_key(s.type) = type_key(g.type) AND s.phrase = g.phrase
  AND s.number = g.number AND spelling(s.name, s.type) = spelling(g.name, g.type)
LEFT JOIN stored o ON s.id IS NULL AND o.norm = g.norm AND o.namesakes = 1 AND g.namesakes = 1
  AND (o.type = '' OR g.type = '') AND NOT o.phrase AND NOT g.phrase

-- import_entities
-- Add the new entities.
INSERT INTO entity
SELECT id, name, norm, type, coalesce(type_from, ''), coalesce(description, ''), coalesce(properties, '{}'), $now, $change,
       NULL, NULL
FROM placed_entity WHERE stored_id IS NULL ORDER BY id

-- entities_to_complete
-- What stored entities lack and the lines have: type, description, properties.
SELECT e.id, if(e.type = '' AND p.type <> '', p.type, NULL) AS type,
       if(e.type = '' AND p.type <> '', p.type_from, NULL) AS type_extractor,
       if(e.description = '' AND p.description <> '', p.description, NULL) AS description,
       if(e.properties::VARCHAR = '{}' AND p.properties::VARCHAR <> '{}', p.properties::VARCHAR, NULL) AS properties
FROM placed_entity p JOIN entity e ON e.id = p.stored_id
WHERE (e.type = '' AND p.type <> '') OR (e.description = '' AND p.description <> '')
  OR (e.properties::VARCHAR = '{}' AND p.properties::VARCHAR <> '{}')
ORDER BY e.id

-- import_names
-- Add the names that entities do not have yet; one of an unknown document is declared, or left out if only valid there.
INSERT INTO entity_alias
WITH name AS (
  SELECT p.id AS entity_id, unnest(json_transform(p.names, '[{"name":"VARCHAR","origin":"VARCHAR","only_in":"VARCHAR","said_in":"VARCHAR"}]'), recursive := true)
  FROM placed_entity p WHERE NOT p.phrase),
placed AS (
  SELECT n.entity_id, n.name, f.norm, n.origin, n.only_in, if(d.fate = 'stored', d.stored_id, d.new_id) AS document_id,
         if(n.said_in = '', 0, if(s.fate = 'stored', s.stored_id, s.new_id)) AS said_in
  FROM name n JOIN given_form f USING (name)
  LEFT JOIN given_document d ON d.key = n.only_in AND d.fate IN ('new', 'changed', 'stored')
  LEFT JOIN given_document s ON s.key = n.said_in AND s.fate IN ('new', 'changed', 'stored'))
SELECT DISTINCT entity_id, name, norm, origin, document_id, $now::TIMESTAMP, $change::BIGINT, NULL::TIMESTAMP, NULL::BIGINT, said_in
FROM placed p
WHERE (only_in IS NULL OR document_id IS NOT NULL) AND NOT EXISTS (
  SELECT 1 FROM entity_alias a
  WHERE a.entity_id = p.entity_id AND a.norm = p.norm AND a.retired_change IS NULL
    AND a.document_id IS NOT DISTINCT FROM p.document_id AND a.said_in IS NOT DISTINCT FROM p.said_in)

-- import_readings
-- Add who has read the chunks.
INSERT INTO extraction
SELECT r.chunk_id, r.extractor, r.version, coalesce(r.triples, 0), coalesce(r.dropped, '{}'), $change, NULL
FROM (
  SELECT id AS chunk_id, unnest(json_transform(read_by, '[{"extractor":"VARCHAR","version":"VARCHAR","triples":"INTEGER","dropped":"JSON"}]'), recursive := true)
  FROM placed_chunk) r
WHERE extractor IS NOT NULL AND version IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM extraction x
  WHERE x.chunk_id = r.chunk_id AND x.extractor = r.extractor AND x.retired_change IS NULL)

-- import_mentions
-- Add the mentions that lie in their chunks.
INSERT INTO mention
WITH given AS (
  SELECT id AS chunk_id, c.start AS first, c.end AS last, unnest(json_transform(mentions, '[{"entity":"VARCHAR","start":"BIGINT","end":"BIGINT","extractor":"VARCHAR","name":"VARCHAR","type":"VARCHAR"}]')) AS m
  FROM placed_chunk c)
SELECT g.chunk_id, p.id, m.start, m.end, m.extractor, $change, m.name, m.type, NULL
FROM given g JOIN placed_entity p ON p.key = g.m.entity
WHERE m.start BETWEEN first AND m.end AND m.end <= last AND m.extractor IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM mention o
  WHERE o.chunk_id = g.chunk_id AND o.entity_id = p.id AND o.start_offset = m.start AND o.end_offset = m.end
    AND o.extractor = m.extractor AND o.retired_change IS NULL)

-- import_values
-- Add the values that are what their chunks say.
INSERT INTO entity_value
WITH given AS (
  SELECT id AS chunk_id, c.start AS first, c.end AS last, text, unnest(json_transform("values", '[{"entity":"VARCHAR","predicate":"VARCHAR","value":"VARCHAR","number":"DOUBLE","moment":"TIMESTAMP","start":"BIGINT","end":"BIGINT","extractor":"VARCHAR","confidence":"FLOAT","surface":"VARCHAR","name":"VARCHAR"}]')) AS v
  FROM placed_chunk c)
SELECT g.chunk_id, e.id, p.id, v.value, v.number, v.moment, v.start, v.end, v.extractor, least(greatest(v.confidence, 0), 1),
       v.surface, v.name, $change, NULL
FROM given g JOIN placed_entity e ON e.key = g.v.entity JOIN predicate p ON p.name = g.v.predicate
WHERE substring(text, v.start - first + 1, v.end - v.start) = v.value AND v.end <= last AND v.extractor IS NOT NULL
  AND v.confidence IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM entity_value o
  WHERE o.chunk_id = g.chunk_id AND o.entity_id = e.id AND o.predicate_id = p.id AND o.start_offset = v.start
    AND o.extractor = v.extractor AND o.retired_change IS NULL)
ORDER BY p.id, g.chunk_id, v.start

-- given_evidence
-- The evidence of the triples of the lines, with their ends by id; a quote stands in its chunk.
WITH line AS (
  SELECT row_number() OVER (ORDER BY json::VARCHAR) AS line, unnest(json_transform(json, '{"subject":"VARCHAR","predicate":"VARCHAR","object":"VARCHAR","valid_from":"TIMESTAMP","valid_to":"TIMESTAMP","evidence":"JSON"}'))
  FROM incoming_line WHERE kind = 'triple'),
piece AS (
  SELECT * EXCLUDE (evidence), unnest(json_transform(evidence, '[{"chunk":"VARCHAR","start":"BIGINT","end":"BIGINT","quote":"VARCHAR","source":"VARCHAR","extractor":"VARCHAR","confidence":"FLOAT","surface":"VARCHAR","subject_name":"VARCHAR","object_name":"VARCHAR","properties":"JSON","is_over":"BOOLEAN"}]')) AS v,
         unnest(range(json_array_length(evidence)::BIGINT)) AS position
  FROM line)
SELECT g.line, g.position, s.id AS subject_id, p.id AS predicate_id, o.id AS object_id, g.valid_from, g.valid_to,
       c.id AS chunk_id, v.start AS start_offset, v.end AS end_offset, v.quote, v.source, v.extractor,
       least(greatest(v.confidence, 0), 1)::FLOAT AS confidence, v.surface, v.subject_name, v.object_name, v.properties,
       if(v.is_over, TIMESTAMP '0001-01-01', NULL) AS said_until
FROM piece g JOIN placed_entity s ON s.key = g.subject JOIN placed_entity o ON o.key = g.object
JOIN predicate p ON p.name = g.predicate LEFT JOIN placed_chunk c ON c.key = g.v.chunk
WHERE v.extractor IS NOT NULL AND v.confidence IS NOT NULL AND coalesce(valid_from < valid_to, true)
  AND (v.chunk IS NULL OR c.id IS NOT NULL)
  AND CASE WHEN c.id IS NULL OR v.quote IS NULL THEN true
           WHEN v.start IS NULL THEN contains(c.context || c.text, v.quote)
           WHEN v.start < c.start OR v.start >= c.end THEN false
           ELSE substring(c.text, v.start - c.start + 1, length(v.quote)) = substring(v.quote, 1, c.end - v.start) END

-- placed_triples
-- The triples that this supports, with the id of the stored one or a new one; confirmations alone support nothing.
SELECT i.*, t.id IS NULL AS is_new, coalesce(t.id, nextval('triple_id')) AS id
FROM (SELECT DISTINCT subject_id, predicate_id, object_id, valid_from, valid_to FROM given_evidence
      WHERE extractor <> 'outcome') i
LEFT JOIN triple t ON same_triple(t, i) AND t.retired_change IS NULL

-- import_triples
-- Add the new triples; their confidence and properties follow from the evidence.
INSERT INTO triple
SELECT id, subject_id, predicate_id, object_id, 0, valid_from, valid_to, NULL, $now, $change, NULL, NULL, NULL
FROM placed_triple WHERE is_new ORDER BY id

-- import_evidence
-- Add the evidence that is not stored yet.
INSERT INTO evidence
SELECT nextval('evidence_id'), triple_id, chunk_id, start_offset, end_offset, quote, extractor, confidence, surface, source,
       $now, $change, NULL, NULL, subject_name, object_name, properties, said_until
FROM (
  SELECT DISTINCT ON (t.id, e.extractor, chunk_id, start_offset, end_offset, quote, source) t.id AS triple_id, e.*
  FROM given_evidence e JOIN placed_triple t ON same_triple(t, e)
  WHERE t.is_new OR NOT EXISTS (
    SELECT 1 FROM evidence v
    WHERE v.triple_id = t.id AND v.retired_change IS NULL AND v.extractor = e.extractor AND same_evidence(v, e))
  ORDER BY t.id, e.extractor, chunk_id, start_offset, end_offset, quote, source, e.confidence DESC, line, position)
ORDER BY line, position

-- given_edges
-- The edges between chunks of the lines; a table, as its number of rows decides how it is joined.
SELECT unnest(json_transform(json, '{"source":"VARCHAR","relation":"VARCHAR","target":"VARCHAR","weight":"FLOAT","description":"VARCHAR","extractor":"VARCHAR"}'))
FROM incoming_line WHERE kind = 'chunk_edge'

-- import_chunk_edges
-- Add the edges between chunks that are not stored yet.
INSERT INTO chunk_edge
SELECT nextval('chunk_edge_id'), *, $now, $change, NULL, NULL FROM (
  SELECT DISTINCT ON (s.id, t.id, g.relation) s.id AS source_id, t.id AS target_id, g.relation, g.weight,
         coalesce(g.description, ''), coalesce(g.extractor, '')
  FROM given_edge g
  JOIN placed_chunk s ON s.key = g.source JOIN placed_chunk t ON t.key = g.target
  WHERE g.weight > 0 AND g.weight <= 1 AND g.source <> g.target
    AND g.relation IN ('references', 'elaborates', 'depends_on', 'contradicts', 'part_of', 'similar_to', 'sequence', 'caused_by')
    AND NOT EXISTS (
    SELECT 1 FROM chunk_edge e
    WHERE e.source_id = s.id AND e.target_id = t.id AND e.relation = g.relation AND e.retired_change IS NULL)
  ORDER BY s.id, t.id, g.relation, g.weight DESC)

-- import_conflicts
-- Add the conflicts between triples of the lines that are not stored yet.
INSERT INTO conflict
WITH line AS (
  SELECT unnest(json_transform(json, '{"about":"VARCHAR","triple":{"subject":"VARCHAR","predicate":"VARCHAR","object":"VARCHAR","valid_from":"TIMESTAMP","valid_to":"TIMESTAMP"},"other":{"subject":"VARCHAR","predicate":"VARCHAR","object":"VARCHAR","valid_from":"TIMESTAMP","valid_to":"TIMESTAMP"},"detail":"VARCHAR","verdict":"VARCHAR","reason":"VARCHAR"}'))
  FROM incoming_line WHERE kind = 'conflict'),
side AS (
  SELECT t.id, s.key AS subject, p.name AS predicate, o.key AS object, t.valid_from, t.valid_to
  FROM placed_triple t JOIN placed_entity s ON s.id = t.subject_id JOIN predicate p ON p.id = t.predicate_id
  JOIN placed_entity o ON o.id = t.object_id)
SELECT nextval('conflict_id'), about, one, other, coalesce(detail, ''), verdict, reason, $now, $change, NULL, NULL FROM (
  SELECT DISTINCT ON (l.about, a.id, b.id) l.about, a.id AS one, b.id AS other, l.detail, l.verdict, l.reason
  FROM line l
  JOIN side a ON a.subject = l.triple.subject AND a.predicate = l.triple.predicate AND a.object = l.triple.object
    AND a.valid_from IS NOT DISTINCT FROM l.triple.valid_from AND a.valid_to IS NOT DISTINCT FROM l.triple.valid_to
  LEFT JOIN side b ON b.subject = l.other.subject AND b.predicate = l.other.predicate AND b.object = l.other.object
    AND b.valid_from IS NOT DISTINCT FROM l.other.valid_from AND b.valid_to IS NOT DISTINCT FROM l.other.valid_to
  WHERE (l.other.subject IS NULL) = (b.id IS NULL) AND l.about IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM conflict k
    WHERE k.retired_change IS NULL AND k.kind = l.about AND least(k.triple_id, k.other_id) = least(a.id, b.id)
      AND greatest(k.triple_id, k.other_id) = greatest(a.id, b.id))
  ORDER BY l.about, a.id, b.id, l.verdict NULLS LAST)

-- import_distinct_pairs
-- Add the pairs that are kept apart and are not stored yet.
INSERT INTO distinct_pair
SELECT DISTINCT least(a.id, b.id), greatest(a.id, b.id), coalesce(l.reason, ''), $now::TIMESTAMP, $change::BIGINT, NULL::TIMESTAMP,
       NULL::BIGINT
FROM (SELECT json->>'$.entity' AS one, json->>'$.other' AS other, json->>'$.reason' AS reason
      FROM incoming_line WHERE kind = 'distinct') l
JOIN placed_entity a ON a.key = l.one JOIN placed_entity b ON b.key = l.other
WHERE l.one <> l.other AND NOT EXISTS (
  SELECT 1 FROM distinct_pair d
  WHERE d.retired_change IS NULL AND d.entity_id = least(a.id, b.id) AND d.other_id = greatest(a.id, b.id))

-- ontologies_of_lines
-- The ontologies of the lines that the file does not have.
SELECT json->>'$.name', json->>'$.body' FROM incoming_line
WHERE kind = 'ontology' AND (json->>'$.name') <> ''
  AND (json->>'$.name') NOT IN (SELECT name FROM ontology WHERE retired_change IS NULL)
ORDER BY 1

-- declare_imported
-- Let new entities that nothing else supports be declared ones.
UPDATE entity_alias SET said_in = NULL
WHERE recorded_change = $change AND document_id IS NULL AND entity_id IN (
  SELECT e.id FROM entity e WHERE e.recorded_change = $change AND e.retired_change IS NULL AND NOT is_phrase(e)
    AND is_unsupported(e))

-- import_counts
-- What became of the lines: how many are new, and what was left out.
SELECT (SELECT count(*) FROM given_document WHERE fate IN ('new', 'changed')) AS documents,
       (SELECT count(*) FROM placed_chunk WHERE is_new) AS chunks,
       (SELECT count(*) FROM placed_entity WHERE stored_id IS NULL) AS entities,
       (SELECT count(*) FROM placed_triple WHERE is_new) AS triples,
       (SELECT count(*) FROM evidence WHERE recorded_change = $change) AS evidence,
       (SELECT count(*) FROM given_document WHERE fate = 'in part') AS "documents whose text is not whole",
       (SELECT count(*) FROM given_document WHERE fate = 'older') AS "documents of which a newer text is stored",
       (SELECT count(*) FROM incoming_line WHERE kind = 'document') - (SELECT count(*) FROM given_document)
         AS "other texts of the same document",
       (SELECT count(*) FROM incoming_line WHERE kind = 'triple') - (
         SELECT count(DISTINCT line) FROM given_evidence) AS "triples without evidence that holds",
       (SELECT count(*) FROM incoming_line WHERE kind NOT IN (
         'graph', 'ontology', 'document', 'chunk', 'entity', 'triple', 'chunk_edge', 'conflict', 'distinct'))
         AS "lines of another kind"
