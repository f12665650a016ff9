-- The tables of the first schema. Ids are int64 from sequences. Only primary keys: a secondary index can lose rows after
-- a kill in this version of DuckDB, and a foreign key forbids deleting parent and child in one transaction.
-- Rows of the graph have the change that recorded them and the one that retired them, with the times of both.

CREATE SEQUENCE change_id;
CREATE SEQUENCE document_id;
CREATE SEQUENCE chunk_id;
CREATE SEQUENCE entity_id;
CREATE SEQUENCE predicate_id;
CREATE SEQUENCE triple_id;
CREATE SEQUENCE evidence_id;
CREATE SEQUENCE term_id;
CREATE SEQUENCE job_id;

CREATE TABLE meta (
  key VARCHAR PRIMARY KEY,
  value VARCHAR NOT NULL
);

CREATE TABLE change (
  id BIGINT PRIMARY KEY,
  recorded_at TIMESTAMP NOT NULL,
  client VARCHAR NOT NULL,
  request_id VARCHAR,
  tool VARCHAR NOT NULL,
  operation BIGINT NOT NULL,
  job_id BIGINT
);

CREATE TABLE document (
  id BIGINT PRIMARY KEY,
  uri VARCHAR NOT NULL,
  title VARCHAR NOT NULL,
  source VARCHAR NOT NULL,
  media_type VARCHAR NOT NULL,
  metadata JSON NOT NULL,
  sha256 VARCHAR NOT NULL,
  length BIGINT NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE chunk (
  id BIGINT PRIMARY KEY,
  document_id BIGINT NOT NULL,
  parent_id BIGINT,
  ordinal INTEGER NOT NULL,
  start_offset BIGINT NOT NULL,
  end_offset BIGINT NOT NULL,
  headings VARCHAR[] NOT NULL,
  context VARCHAR NOT NULL,
  text VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE extraction (
  chunk_id BIGINT NOT NULL,
  extractor VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  triples INTEGER NOT NULL,
  dropped JSON NOT NULL,
  recorded_change BIGINT NOT NULL
);

CREATE TABLE entity (
  id BIGINT PRIMARY KEY,
  name VARCHAR NOT NULL,
  norm VARCHAR NOT NULL,
  type VARCHAR NOT NULL,
  type_extractor VARCHAR NOT NULL,
  description VARCHAR NOT NULL,
  properties JSON NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE entity_alias (
  entity_id BIGINT NOT NULL,
  name VARCHAR NOT NULL,
  norm VARCHAR NOT NULL,
  origin VARCHAR NOT NULL,
  document_id BIGINT,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE mention (
  chunk_id BIGINT NOT NULL,
  entity_id BIGINT NOT NULL,
  start_offset BIGINT NOT NULL,
  end_offset BIGINT NOT NULL,
  extractor VARCHAR NOT NULL,
  recorded_change BIGINT NOT NULL
);

CREATE TABLE predicate (
  id BIGINT PRIMARY KEY,
  name VARCHAR NOT NULL,
  description VARCHAR NOT NULL,
  recorded_change BIGINT NOT NULL
);

CREATE TABLE triple (
  id BIGINT PRIMARY KEY,
  subject_id BIGINT NOT NULL,
  predicate_id BIGINT NOT NULL,
  object_id BIGINT NOT NULL,
  confidence FLOAT NOT NULL,
  valid_from TIMESTAMP,
  valid_to TIMESTAMP,
  properties JSON,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE evidence (
  id BIGINT PRIMARY KEY,
  triple_id BIGINT NOT NULL,
  chunk_id BIGINT,
  start_offset BIGINT,
  end_offset BIGINT,
  quote VARCHAR,
  extractor VARCHAR NOT NULL,
  confidence FLOAT NOT NULL,
  surface VARCHAR,
  source VARCHAR,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE term (
  id BIGINT PRIMARY KEY,
  term VARCHAR NOT NULL
);

CREATE TABLE posting (
  term_id BIGINT NOT NULL,
  chunk_id BIGINT NOT NULL,
  frequency USMALLINT NOT NULL
);

CREATE TABLE chunk_length (
  chunk_id BIGINT PRIMARY KEY,
  length INTEGER NOT NULL,
  recorded_change BIGINT NOT NULL
);

CREATE TABLE job (
  id BIGINT PRIMARY KEY,
  kind VARCHAR NOT NULL,
  state VARCHAR NOT NULL,
  client VARCHAR NOT NULL,
  process BIGINT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP,
  total INTEGER NOT NULL,
  done INTEGER NOT NULL,
  report JSON NOT NULL,
  error VARCHAR
);

CREATE TABLE job_item (
  job_id BIGINT NOT NULL,
  what VARCHAR NOT NULL,
  outcome VARCHAR NOT NULL,
  reason VARCHAR,
  recorded_at TIMESTAMP NOT NULL
);

CREATE VIEW documents AS
SELECT d.id, d.uri, d.title, d.source, d.media_type, d.metadata, d.length, coalesce(c.chunks, 0) AS chunks, d.recorded_at
FROM document d
LEFT JOIN (SELECT document_id, count(*) AS chunks FROM chunk GROUP BY document_id) c ON c.document_id = d.id
WHERE d.retired_change IS NULL;

CREATE VIEW chunks AS
SELECT c.id, d.uri AS document, d.title, array_to_string(c.headings, ' > ') AS heading, c.ordinal, c.text,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation
FROM chunk c JOIN document d ON d.id = c.document_id
WHERE c.retired_change IS NULL;

CREATE VIEW entities AS
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

CREATE VIEW triples AS
SELECT t.id, s.name AS subject, s.type AS subject_type, p.name AS predicate, o.name AS "object",
       o.type AS object_type, round(t.confidence::DOUBLE, 3) AS confidence, t.valid_from, t.valid_to, t.properties,
       t.recorded_at
FROM triple t
JOIN entity s ON s.id = t.subject_id
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL;

CREATE VIEW sources AS
SELECT v.triple_id, t.subject, t.predicate, t."object", v.quote,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation,
       coalesce(v.source, d.source, '') AS source, v.extractor, round(v.confidence::DOUBLE, 3) AS confidence, v.surface
FROM evidence v
JOIN triples t ON t.id = v.triple_id
LEFT JOIN chunk c ON c.id = v.chunk_id
LEFT JOIN document d ON d.id = c.document_id
WHERE v.retired_change IS NULL;

CREATE VIEW changes AS
SELECT id, recorded_at, client, tool, operation, job_id FROM change;

COMMENT ON VIEW documents IS 'Active documents: one row per ingested source';
COMMENT ON VIEW chunks IS 'Chunks of active documents, with heading path and citation';
COMMENT ON VIEW entities IS 'Active entities, with type, aliases and number of triples';
COMMENT ON VIEW triples IS 'Active triples: subject, predicate, object by name';
COMMENT ON VIEW sources IS 'Evidence of each triple: quote, citation, extractor, confidence';
COMMENT ON VIEW changes IS 'Every write: time, client and tool';
COMMENT ON TABLE change IS 'One row per write transaction; its id is the generation of the file';
COMMENT ON TABLE evidence IS 'Triple to chunk: character span in the document, quote, extractor';
COMMENT ON TABLE mention IS 'Spans of chunks that mention an entity (characters of the document)';
COMMENT ON TABLE posting IS 'Derived: stemmed terms per chunk for keyword search; `mcp-graphrag reindex` rebuilds it';
COMMENT ON COLUMN triple.valid_from IS 'World time: valid from then (inclusive), open if NULL';
COMMENT ON COLUMN triple.valid_to IS 'World time: valid until then (exclusive), open if NULL';
COMMENT ON COLUMN triple.recorded_at IS 'Knowledge time: recorded then';
COMMENT ON COLUMN triple.retired_at IS 'Knowledge time: retired then, active if NULL';
COMMENT ON TABLE meta IS 'The file itself: application, schema version, embedder';
COMMENT ON TABLE document IS 'Every version of every document; active ones have no retired_change';
COMMENT ON TABLE chunk IS 'Chunks of documents: characters start_offset to end_offset, exclusive';
COMMENT ON TABLE extraction IS 'Which extractor has read which chunk, and what it left out';
COMMENT ON TABLE entity IS 'Entities; type_extractor says who gave the type';
COMMENT ON TABLE entity_alias IS 'Names of entities; with a document, valid in it only';
COMMENT ON TABLE predicate IS 'The relations that triples assert';
COMMENT ON TABLE triple IS 'Subject, predicate, object by id, with both times';
COMMENT ON TABLE term IS 'Derived: stemmed terms of keyword search';
COMMENT ON TABLE chunk_length IS 'Derived: terms per chunk; a chunk without a row is not searched';
COMMENT ON TABLE job IS 'Long-running work: its state and report';
COMMENT ON TABLE job_item IS 'What a job left out, and why';
