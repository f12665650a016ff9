-- Vectors as bytes, the largest component 127 or -127: of every chunk and entity by the static embedder, and of chunks by
-- the model that meta names. Earlier vectors are made anew.
DROP TABLE IF EXISTS chunk_embedding;
DROP TABLE IF EXISTS entity_embedding;
DELETE FROM meta WHERE key = 'embedder';

CREATE TABLE chunk_embedding (chunk_id BIGINT PRIMARY KEY, vector TINYINT[] NOT NULL, recorded_change BIGINT NOT NULL);
CREATE TABLE entity_embedding (entity_id BIGINT PRIMARY KEY, vector TINYINT[] NOT NULL, recorded_change BIGINT NOT NULL);
CREATE TABLE model_embedding (chunk_id BIGINT PRIMARY KEY, vector TINYINT[] NOT NULL, recorded_change BIGINT NOT NULL);

COMMENT ON TABLE chunk_embedding IS 'Derived: static vectors of chunks; `mcp-graphrag reindex` rebuilds them';
COMMENT ON TABLE entity_embedding IS 'Derived: static vectors of entity names; `mcp-graphrag reindex` rebuilds them';
COMMENT ON TABLE model_embedding IS 'Derived: vectors of chunks by the model in meta, made in the background';
COMMENT ON TABLE meta IS 'The file itself: application, schema version, embedding model';
