-- chosen_document
-- The documents to export, by uri and text: those with a source, those with evidence of chosen triples, or all.
SELECT d.id, d.uri || '@' || left(d.sha256, 12) AS key FROM document d
WHERE d.retired_change IS NULL
  AND ($sources IS NULL OR is_from(d))
  AND ($sources IS NOT NULL OR $all OR d.id IN (
    SELECT c.document_id FROM evidence v JOIN chunk c ON c.id = v.chunk_id
    WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT id FROM chosen_triple)))

-- chosen_chunk
-- Their chunks.
SELECT c.id, d.key || '#' || c.ordinal AS key, d.key AS document_key
FROM chunk c JOIN chosen_document d ON d.id = c.document_id WHERE c.retired_change IS NULL

-- chosen_triple
-- The triples to export; NULL chooses all. A phrase goes with its subject.
SELECT t.id FROM triple t
JOIN predicate p ON p.id = t.predicate_id
JOIN entity s ON s.id = t.subject_id
JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL
  AND ($predicates IS NULL OR list_contains($predicates::JSON::VARCHAR[], p.name))
  AND ($types IS NULL OR (list_contains($types::JSON::VARCHAR[], type_key(s.type))
                          AND (is_phrase(o) OR list_contains($types::JSON::VARCHAR[], type_key(o.type)))))
  AND ($community IS NULL OR (t.subject_id IN (SELECT entity_id FROM community_member WHERE community_id = $community)
       AND (is_phrase(o) OR t.object_id IN (SELECT entity_id FROM community_member WHERE community_id = $community))))
  AND ($as_of IS NULL OR valid_at(t, $as_of))
  AND ($sources IS NULL OR t.id IN (
    SELECT v.triple_id FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id LEFT JOIN document d ON d.id = c.document_id
    WHERE v.retired_change IS NULL AND (list_contains($sources::JSON::VARCHAR[], v.source) OR is_from(d))))

-- chosen_entity
-- The ends of these triples, the other entities of the choice, and what chosen documents mention, each with a key.
SELECT id, name || '|' || type || if(number > 1, '#' || number, '') AS key FROM (
  SELECT e.*, row_number() OVER (PARTITION BY e.name, e.type ORDER BY e.description, e.properties::VARCHAR, e.id) AS number
  FROM entity e WHERE e.retired_change IS NULL) e
WHERE id IN (SELECT unnest([subject_id, object_id]) FROM triple WHERE id IN (SELECT id FROM chosen_triple))
  OR (NOT is_phrase(e) AND $predicates IS NULL
      AND ($types IS NULL OR list_contains($types::JSON::VARCHAR[], type_key(type)))
      AND ($community IS NULL OR id IN (SELECT entity_id FROM community_member WHERE community_id = $community))
      AND ($sources IS NULL OR id IN (
        SELECT entity_id FROM mention WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chosen_chunk))))

-- lines_ontology
-- The ontologies of the file as JSON lines.
SELECT json_object('kind', 'ontology', 'name', name, 'body', body) AS line FROM ontology
WHERE retired_change IS NULL ORDER BY line

-- lines_document
-- The documents as JSON lines.
SELECT json_object('kind', 'document', 'uri', d.uri, 'title', d.title, 'source', d.source, 'media_type', d.media_type,
                   'metadata', d.metadata, 'sha256', d.sha256, 'length', d.length, 'file_time', d.file_time,
                   'language', d.language) AS line
FROM document d JOIN chosen_document x ON x.id = d.id ORDER BY line

-- lines_chunk
-- The chunks as JSON lines, with what they mention and state and who has read them.
SELECT json_object('kind', 'chunk', 'document', x.document_key, 'ordinal', c.ordinal, 'parent', p.ordinal,
                   'start', c.start_offset, 'end', c.end_offset, 'headings', c.headings, 'context', c.context,
                   'text', c.text, 'read_by', r.said, 'mentions', m.said, 'values', v.said) AS line
FROM chunk c JOIN chosen_chunk x ON x.id = c.id LEFT JOIN chunk p ON p.id = c.parent_id
LEFT JOIN (
  SELECT chunk_id, list(json_object('extractor', extractor, 'version', version, 'triples', triples, 'dropped', dropped)
                        ORDER BY extractor, version) AS said
  FROM extraction WHERE retired_change IS NULL GROUP BY chunk_id) r ON r.chunk_id = c.id
LEFT JOIN (
  SELECT chunk_id, list(json_object('entity', e.key, 'start', start_offset, 'end', end_offset, 'extractor', extractor,
                                    'name', name, 'type', type)
                        ORDER BY start_offset, end_offset, e.key, extractor, name, type) AS said
  FROM mention JOIN chosen_entity e ON e.id = entity_id WHERE retired_change IS NULL GROUP BY chunk_id) m
  ON m.chunk_id = c.id
LEFT JOIN (
  SELECT chunk_id, list(json_object('entity', e.key, 'predicate', p.name, 'value', value, 'number', number,
                                    'moment', moment, 'start', start_offset, 'end', end_offset, 'extractor', extractor,
                                    'confidence', round(confidence::DOUBLE, 6), 'surface', surface, 'name', v.name)
                        ORDER BY start_offset, p.name, e.key, value, extractor) AS said
  FROM entity_value v JOIN chosen_entity e ON e.id = entity_id JOIN predicate p ON p.id = predicate_id
  WHERE retired_change IS NULL GROUP BY chunk_id) v ON v.chunk_id = c.id
ORDER BY line

-- lines_entity
-- The entities as JSON lines, with their names; where a name was said is a document, "" for a text without one.
SELECT json_object('kind', 'entity', 'key', x.key, 'name', e.name, 'type', e.type, 'type_from', e.type_extractor,
                   'phrase', is_phrase(e), 'description', e.description, 'properties', e.properties,
                   'names', a.said) AS line
FROM entity e JOIN chosen_entity x ON x.id = e.id
LEFT JOIN (
  SELECT entity_id, list(json_object('name', name, 'origin', origin, 'only_in', d.uri || '@' || left(d.sha256, 12),
                                     'said_in', if(said_in = 0, '', s.uri || '@' || left(s.sha256, 12)))
                         ORDER BY origin <> 'name', name, origin, d.uri, s.uri NULLS FIRST, said_in) AS said
  FROM entity_alias LEFT JOIN document d ON d.id = document_id LEFT JOIN document s ON s.id = said_in
  WHERE entity_alias.retired_change IS NULL GROUP BY entity_id) a ON a.entity_id = e.id
ORDER BY line

-- lines_triple
-- The triples as JSON lines, with their evidence, that which gives the properties first.
SELECT json_object('kind', 'triple', 'subject', s.key, 'predicate', p.name, 'object', o.key, 'valid_from', t.valid_from,
                   'valid_to', t.valid_to, 'confidence', round(t.confidence::DOUBLE, 6), 'evidence', v.said) AS line
FROM triple t JOIN chosen_triple x ON x.id = t.id JOIN predicate p ON p.id = t.predicate_id
JOIN chosen_entity s ON s.id = t.subject_id JOIN chosen_entity o ON o.id = t.object_id
LEFT JOIN (
  SELECT v.triple_id, list(
    json_object('chunk', c.key, 'start', start_offset, 'end', end_offset, 'quote', quote, 'source', source,
                'extractor', extractor, 'confidence', round(v.confidence::DOUBLE, 6), 'surface', surface,
                'subject_name', subject_name, 'object_name', object_name, 'properties', v.properties,
                'is_over', v.said_until IS NOT NULL)
    ORDER BY v.properties IS NULL, v.properties IS DISTINCT FROM t.properties, c.key, start_offset, quote, source, extractor,
             v.confidence) AS said
  FROM evidence v JOIN triple t ON t.id = v.triple_id JOIN chosen_triple y ON y.id = t.id
  LEFT JOIN chosen_chunk c ON c.id = v.chunk_id
  WHERE v.retired_change IS NULL GROUP BY v.triple_id) v ON v.triple_id = t.id
ORDER BY line

-- lines_chunk_edge
-- The edges between chunks as JSON lines.
SELECT json_object('kind', 'chunk_edge', 'source', s.key, 'relation', e.relation, 'target', t.key,
                   'weight', round(e.weight::DOUBLE, 6), 'description', e.description, 'extractor', e.extractor) AS line
FROM chunk_edge e JOIN chosen_chunk s ON s.id = e.source_id JOIN chosen_chunk t ON t.id = e.target_id
WHERE e.retired_change IS NULL ORDER BY line

-- lines_conflict
-- The conflicts of exported triples as JSON lines.
WITH side AS (
  SELECT t.id, json_object('subject', s.key, 'predicate', p.name, 'object', o.key, 'valid_from', t.valid_from,
                           'valid_to', t.valid_to) AS said
  FROM triple t JOIN chosen_triple x ON x.id = t.id JOIN predicate p ON p.id = t.predicate_id
  JOIN chosen_entity s ON s.id = t.subject_id JOIN chosen_entity o ON o.id = t.object_id)
SELECT json_object('kind', 'conflict', 'about', k.kind, 'triple', a.said, 'other', b.said, 'detail', k.detail,
                   'verdict', k.verdict, 'reason', k.reason) AS line
FROM conflict k JOIN side a ON a.id = k.triple_id LEFT JOIN side b ON b.id = k.other_id
WHERE k.retired_change IS NULL AND (k.other_id IS NULL OR b.id IS NOT NULL) ORDER BY line

-- lines_distinct
-- The pairs of entities that are kept apart, as JSON lines.
SELECT json_object('kind', 'distinct', 'entity', least(a.key, b.key), 'other', greatest(a.key, b.key),
                   'reason', d.reason) AS line
FROM distinct_pair d JOIN chosen_entity a ON a.id = d.entity_id JOIN chosen_entity b ON b.id = d.other_id
WHERE d.retired_change IS NULL ORDER BY line

-- lines_written
-- The lines of a kind as they are written.
SELECT {written} AS line FROM ({lines}) ORDER BY line

-- entities_for_export
-- The entities with their names, what is stated of them, and the triples that they are subject of.
SELECT e.id, x.key, e.name, e.type, e.description, e.properties::VARCHAR AS properties, coalesce(a.names, []) AS aliases,
       coalesce(v.said, []) AS stated, coalesce(t.triples, 0) AS triples
FROM entity e JOIN chosen_entity x ON x.id = e.id
LEFT JOIN (SELECT entity_id, list(DISTINCT n.name ORDER BY n.name) AS names FROM entity_alias n JOIN entity o ON o.id = n.entity_id
           WHERE n.retired_change IS NULL AND n.name <> o.name GROUP BY entity_id) a ON a.entity_id = e.id
LEFT JOIN (SELECT entity_id, list(DISTINCT p.name || ': ' || value ORDER BY p.name || ': ' || value) AS said
           FROM entity_value JOIN predicate p ON p.id = predicate_id
           WHERE retired_change IS NULL GROUP BY entity_id) v ON v.entity_id = e.id
LEFT JOIN (SELECT entity_id, count(*) AS triples FROM (
             SELECT unnest([subject_id, object_id]) AS entity_id FROM triple WHERE id IN (SELECT id FROM chosen_triple))
           GROUP BY entity_id) t ON t.entity_id = e.id
ORDER BY {order} LIMIT $limit

-- triples_for_export
-- The triples with their ends by name and their evidence as JSON, the most confident first.
SELECT t.id, t.subject_id, s.name AS subject, s.type AS subject_type, sk.key AS subject_key, p.name AS predicate,
       t.object_id, o.name AS "object", o.type AS object_type, ok.key AS object_key,
       round(t.confidence::DOUBLE, 6) AS confidence, strftime(t.valid_from, '%Y-%m-%dT%H:%M:%S') AS valid_from,
       strftime(t.valid_to, '%Y-%m-%dT%H:%M:%S') AS valid_to, t.said_until IS NOT NULL AS is_over,
       coalesce(t.properties::VARCHAR, '{{}}') AS properties, coalesce(v.said::VARCHAR, '[]') AS evidence
FROM triple t JOIN chosen_triple x ON x.id = t.id JOIN predicate p ON p.id = t.predicate_id
JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id
JOIN chosen_entity sk ON sk.id = s.id JOIN chosen_entity ok ON ok.id = o.id
LEFT JOIN (
  SELECT v.triple_id, to_json(list(
    json_object('quote', quote, 'source', coalesce(v.source, nullif(d.source, ''), d.uri),
                'citation', d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || left(c.sha256, 8),
                'extractor', extractor, 'confidence', round(v.confidence::DOUBLE, 6))
    ORDER BY v.confidence DESC, d.uri, v.start_offset, quote, v.source)) AS said
  FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id LEFT JOIN document d ON d.id = c.document_id
  WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT id FROM chosen_triple) GROUP BY v.triple_id) v
  ON v.triple_id = t.id
{where}
ORDER BY sk.key, p.name, ok.key, t.valid_from NULLS FIRST, t.valid_to NULLS FIRST LIMIT $limit

-- counts_for_export
-- How much there is of what some forms cannot hold.
SELECT (SELECT count(*) FROM chosen_entity) AS entities, (SELECT count(*) FROM chosen_triple) AS triples,
       (SELECT count(*) FROM chosen_document) AS documents, (SELECT count(*) FROM chosen_chunk) AS chunks,
       (SELECT count(*) FROM mention WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chosen_chunk)) AS mentions,
       (SELECT count(*) FROM chunk_edge WHERE retired_change IS NULL AND source_id IN (SELECT id FROM chosen_chunk))
         AS "chunk edges",
       (SELECT count(*) FROM conflict WHERE retired_change IS NULL AND triple_id IN (SELECT id FROM chosen_triple))
         AS conflicts,
       (SELECT count(*) FROM distinct_pair WHERE retired_change IS NULL) AS "pairs kept apart",
       (SELECT count(*) FROM ontology WHERE retired_change IS NULL) AS ontologies,
       (SELECT count(*) FROM merge WHERE retired_change IS NULL) AS "merges that can be split",
       (SELECT count(*) FROM community) AS communities

-- retired_for_export
-- How many triples are out of force; a view of the past has none.
SELECT count(*) FROM triple WHERE retired_change IS NOT NULL

-- copy_rows
-- Write the rows of a query to a file.
COPY ({query}) TO {path} ({options})

-- table_entity
-- The entities as a table.
SELECT e.id, e.name, e.type, e.description, e.properties::VARCHAR AS properties, e.recorded_at
FROM entity e JOIN chosen_entity x ON x.id = e.id ORDER BY x.key

-- table_alias
-- Their names as a table.
SELECT entity_id, name, origin, document_id AS only_in_document, said_in FROM entity_alias
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM chosen_entity) ORDER BY entity_id, name, origin

-- table_triple
-- The triples as a table.
SELECT t.id, t.subject_id, s.name AS subject, p.name AS predicate, t.object_id, o.name AS "object", t.confidence,
       t.valid_from, t.valid_to, t.said_until IS NOT NULL AS is_over, t.properties::VARCHAR AS properties, t.recorded_at
FROM triple t JOIN chosen_triple x ON x.id = t.id JOIN predicate p ON p.id = t.predicate_id
JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id ORDER BY t.id

-- table_evidence
-- The evidence as a table.
SELECT v.id, v.triple_id, v.chunk_id, v.start_offset, v.end_offset, v.quote, v.source, v.extractor, v.confidence, v.surface
FROM evidence v WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT id FROM chosen_triple) ORDER BY v.id

-- table_value
-- The values as a table.
SELECT v.entity_id, p.name AS predicate, v.value, v.number, v.moment, v.chunk_id, v.start_offset, v.end_offset,
       v.extractor, v.confidence
FROM entity_value v JOIN predicate p ON p.id = v.predicate_id
WHERE v.retired_change IS NULL AND v.entity_id IN (SELECT id FROM chosen_entity) ORDER BY v.chunk_id, v.start_offset, p.name

-- table_document
-- The documents as a table.
SELECT d.id, d.uri, d.title, d.source, d.media_type, d.metadata::VARCHAR AS metadata, d.sha256, d.length, d.language,
       d.file_time, d.recorded_at
FROM document d JOIN chosen_document x ON x.id = d.id ORDER BY d.uri

-- table_chunk
-- The chunks as a table.
SELECT c.id, c.document_id, c.parent_id, c.ordinal, c.start_offset, c.end_offset, c.headings, c.context, c.text
FROM chunk c JOIN chosen_chunk x ON x.id = c.id ORDER BY c.document_id, c.ordinal

-- table_mention
-- The mentions as a table.
SELECT chunk_id, entity_id, start_offset, end_offset, extractor, name, type FROM mention
WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chosen_chunk)
  AND entity_id IN (SELECT id FROM chosen_entity) ORDER BY chunk_id, start_offset, entity_id

-- table_chunk_edge
-- The edges between chunks as a table.
SELECT id, source_id, target_id, relation, weight, description, extractor FROM chunk_edge
WHERE retired_change IS NULL AND source_id IN (SELECT id FROM chosen_chunk)
  AND target_id IN (SELECT id FROM chosen_chunk) ORDER BY id

-- table_conflict
-- The conflicts as a table.
SELECT id, kind, triple_id, other_id, detail, verdict, reason FROM conflict
WHERE retired_change IS NULL AND triple_id IN (SELECT id FROM chosen_triple) ORDER BY id

-- table_community
-- The communities as a table.
SELECT id, level, parent_id, title, summary, size FROM community ORDER BY id

-- table_community_member
-- Their members as a table.
SELECT community_id, entity_id, rank FROM community_member WHERE entity_id IN (SELECT id FROM chosen_entity)
ORDER BY community_id, rank DESC, entity_id

-- csv_entities
-- The entities with the headings of bulk loaders.
SELECT id AS "entity:ID", name, type, description, array_to_string(aliases, ';') AS "aliases:string[]",
       array_to_string(stated, '; ') AS stated, properties, if(type = '', 'Entity', type) AS ":LABEL" FROM ({entities})

-- csv_triples
-- The triples with the headings of bulk loaders, and with the names of their ends.
SELECT subject_id AS ":START_ID", object_id AS ":END_ID", predicate AS ":TYPE", subject, subject_type, predicate, "object",
       object_type, confidence AS "confidence:double", valid_from, valid_to, is_over AS "is_over:boolean", properties,
       evidence FROM ({triples})
