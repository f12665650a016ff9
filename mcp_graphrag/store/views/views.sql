-- The views for people who open the file: renewed by `engine/views.py` where they differ from those of this version.
-- A block for each, in the order in which they need each other. A new column goes last.

CREATE OR REPLACE VIEW documents AS
SELECT d.id, d.uri, d.title, d.source, d.media_type, d.metadata, d.length, coalesce(c.chunks, 0) AS chunks,
       d.recorded_at, d.language
FROM document d
LEFT JOIN (SELECT document_id, count(*) AS chunks FROM chunk GROUP BY document_id) c ON c.document_id = d.id
WHERE d.retired_change IS NULL;

CREATE OR REPLACE VIEW chunks AS
SELECT c.id, d.uri AS document, d.title, array_to_string(c.headings, ' > ') AS heading, c.ordinal, c.text,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation
FROM chunk c JOIN document d ON d.id = c.document_id
WHERE c.retired_change IS NULL;

CREATE OR REPLACE VIEW entities AS
SELECT e.id, e.name, e.type, e.description, a.aliases, coalesce(t.triples, 0) AS triples, e.properties, e.recorded_at
FROM entity e
LEFT JOIN (
  SELECT a.entity_id, list(a.name ORDER BY a.name) AS aliases
  FROM entity_alias a JOIN entity n ON n.id = a.entity_id
  WHERE a.retired_change IS NULL AND a.name <> n.name
  GROUP BY a.entity_id
) a ON a.entity_id = e.id
LEFT JOIN (
  SELECT entity_id, count(*) AS triples
  FROM (SELECT unnest([subject_id, object_id]) AS entity_id FROM triple WHERE retired_change IS NULL)
  GROUP BY entity_id
) t ON t.entity_id = e.id
WHERE e.retired_change IS NULL;

CREATE OR REPLACE VIEW triples AS
SELECT t.id, s.name AS subject, s.type AS subject_type, p.name AS predicate, o.name AS "object",
       o.type AS object_type, round(t.confidence::DOUBLE, 3) AS confidence, t.valid_from, t.valid_to, t.properties,
       t.recorded_at, t.said_until IS NOT NULL AS past_tense, t.subject_id, t.object_id
FROM triple t
JOIN entity s ON s.id = t.subject_id
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL;

CREATE OR REPLACE VIEW triple_history AS
SELECT t.id, s.name AS subject, p.name AS predicate, o.name AS "object", round(t.confidence::DOUBLE, 3) AS confidence,
       t.valid_from, t.valid_to, h.recorded_at, r.tool AS recorded_by, h.retired_at, x.tool AS retired_by
FROM (
  SELECT id, recorded_at, recorded_change, retired_at, retired_change FROM triple
  UNION ALL SELECT id, recorded_at, recorded_change, retired_at, retired_change FROM past WHERE kind = 'triple'
) h
JOIN triple t ON t.id = h.id
JOIN entity s ON s.id = t.subject_id
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
LEFT JOIN change r ON r.id = h.recorded_change
LEFT JOIN change x ON x.id = h.retired_change;

CREATE OR REPLACE VIEW predicates AS
SELECT p.name, p.description, coalesce(t.triples, 0) AS triples, coalesce(v.entity_values, 0) AS entity_values
FROM predicate p
LEFT JOIN (SELECT predicate_id, count(*) AS triples FROM triple WHERE retired_change IS NULL GROUP BY predicate_id) t
  ON t.predicate_id = p.id
LEFT JOIN (
  SELECT predicate_id, count(*) AS entity_values FROM entity_value WHERE retired_change IS NULL GROUP BY predicate_id
) v ON v.predicate_id = p.id;

CREATE OR REPLACE VIEW sources AS
SELECT v.triple_id, t.subject, t.predicate, t."object", v.quote,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation,
       coalesce(v.source, d.source, '') AS source, v.extractor, round(v.confidence::DOUBLE, 3) AS confidence, v.surface,
       k.client, d.uri AS document, v.id AS evidence_id
FROM evidence v
JOIN triples t ON t.id = v.triple_id
LEFT JOIN chunk c ON c.id = v.chunk_id
LEFT JOIN document d ON d.id = c.document_id
LEFT JOIN change k ON k.id = v.recorded_change
WHERE v.retired_change IS NULL;

-- Leaves partition the text of a document, so that the breaks of those that begin before are all that stand before.
CREATE OR REPLACE VIEW chunk_lines AS
SELECT c.id AS chunk_id, d.uri AS document, c.line, c.start_offset, c.text
FROM (
  SELECT id, document_id, start_offset, text, retired_change,
         1 + coalesce(sum(length(text) - length(replace(text, chr(10), '')))
           FILTER (WHERE id NOT IN (SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL))
           OVER (PARTITION BY document_id ORDER BY start_offset RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0
         )::BIGINT AS line
  FROM chunk
) c JOIN document d ON d.id = c.document_id
WHERE c.retired_change IS NULL;

CREATE OR REPLACE VIEW source_lines AS
SELECT v.triple_id, t.subject, t.predicate, t."object", c.document,
       c.line + length(b.before) - length(replace(b.before, chr(10), '')) AS line, v.quote, v.id AS evidence_id
FROM evidence v
JOIN triples t ON t.id = v.triple_id
JOIN chunk_lines c ON c.chunk_id = v.chunk_id
CROSS JOIN LATERAL (SELECT substring(c.text, 1, v.start_offset - c.start_offset) AS before) b
WHERE v.retired_change IS NULL AND v.start_offset IS NOT NULL;

CREATE OR REPLACE VIEW mentions AS
SELECT e.name AS entity, e.type, substring(c.text, m.start_offset - c.start_offset + 1, m.end_offset - m.start_offset)
         AS "text", d.uri AS document,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation,
       m.extractor, m.chunk_id, m.entity_id
FROM mention m
JOIN entity e ON e.id = m.entity_id
JOIN chunk c ON c.id = m.chunk_id
JOIN document d ON d.id = c.document_id
WHERE m.retired_change IS NULL AND c.retired_change IS NULL;

CREATE OR REPLACE VIEW entity_values AS
SELECT e.name AS entity, e.type, p.name AS predicate, v.value, v.number, v.moment AS date, d.uri AS document,
       regexp_extract(substring(c.text, 1, v.start_offset - c.start_offset), '[^\n]*$')
       || regexp_extract(substring(c.text, v.start_offset - c.start_offset + 1), '^[^\n]*') AS quote,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation
FROM entity_value v
JOIN entity e ON e.id = v.entity_id
JOIN predicate p ON p.id = v.predicate_id
JOIN chunk c ON c.id = v.chunk_id
JOIN document d ON d.id = c.document_id
WHERE v.retired_change IS NULL;

CREATE OR REPLACE VIEW chunk_edges AS
SELECT e.id, s.citation AS source, t.citation AS target, e.relation, round(e.weight::DOUBLE, 3) AS weight, e.description,
       e.extractor, e.recorded_at
FROM chunk_edge e JOIN chunks s ON s.id = e.source_id JOIN chunks t ON t.id = e.target_id
WHERE e.retired_change IS NULL;

CREATE OR REPLACE VIEW communities AS
SELECT c.id, c.level, c.parent_id, c.title, c.summary, c.summarised_by, c.size, m.members, c.citations, c.recorded_at
FROM community c
LEFT JOIN (
  SELECT m.community_id, list(e.name ORDER BY m.rank DESC, e.name) AS members
  FROM community_member m JOIN entity e ON e.id = m.entity_id
  GROUP BY m.community_id
) m ON m.community_id = c.id
ORDER BY c.level, c.size DESC, c.id;

CREATE OR REPLACE VIEW conflicts AS
SELECT k.id, k.kind, s.name || ' ' || p.name || ' ' || o.name AS triple,
       os.name || ' ' || op.name || ' ' || oo.name AS other, k.detail, k.verdict, k.reason, k.recorded_at
FROM conflict k
JOIN triple t ON t.id = k.triple_id
JOIN entity s ON s.id = t.subject_id
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
LEFT JOIN triple ot ON ot.id = k.other_id
LEFT JOIN entity os ON os.id = ot.subject_id
LEFT JOIN predicate op ON op.id = ot.predicate_id
LEFT JOIN entity oo ON oo.id = ot.object_id
WHERE k.retired_change IS NULL;

CREATE OR REPLACE VIEW merges AS
SELECT m.id, k.name AS kept, l.name AS merged, m.reason, m.score, m.recorded_at
FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity l ON l.id = m.merged_id
WHERE m.retired_change IS NULL;

CREATE OR REPLACE VIEW changes AS
SELECT id, recorded_at, client, tool, operation, job_id FROM change;

-- The bytes of a vector as numbers: their direction is that of the vector, which is all that a cosine needs.
CREATE OR REPLACE VIEW chunk_vectors AS
SELECT c.id AS chunk_id, c.document, c.citation,
       TRY_CAST(list_transform(regexp_extract_all(hex(v.vector), '..'),
         lambda byte: (('0x' || byte)::UTINYINT::INTEGER + 128) % 256 - 128) AS FLOAT[256]) AS vector
FROM chunk_embedding v JOIN chunks c ON c.id = v.chunk_id;

CREATE OR REPLACE VIEW entity_vectors AS
SELECT e.id AS entity_id, e.name, e.type,
       TRY_CAST(list_transform(regexp_extract_all(hex(v.vector), '..'),
         lambda byte: (('0x' || byte)::UTINYINT::INTEGER + 128) % 256 - 128) AS FLOAT[256]) AS vector
FROM entity_embedding v JOIN entity e ON e.id = v.entity_id
WHERE e.retired_change IS NULL;

CREATE OR REPLACE VIEW model_vectors AS
SELECT c.id AS chunk_id, c.document, c.citation,
       list_transform(regexp_extract_all(hex(v.vector), '..'),
         lambda byte: (('0x' || byte)::UTINYINT::INTEGER + 128) % 256 - 128)::FLOAT[] AS vector
FROM model_embedding v JOIN chunks c ON c.id = v.chunk_id;
