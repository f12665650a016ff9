-- Vectors as the bytes of their components: for each added list DuckDB logs those of 2,048 rows, 450 kB with 256
-- components.
ALTER TABLE chunk_embedding RENAME TO listed_chunk;
ALTER TABLE entity_embedding RENAME TO listed_entity;
ALTER TABLE model_embedding RENAME TO listed_model;

CREATE TABLE chunk_embedding (chunk_id BIGINT PRIMARY KEY, vector BLOB NOT NULL, recorded_change BIGINT NOT NULL);
CREATE TABLE entity_embedding (entity_id BIGINT PRIMARY KEY, vector BLOB NOT NULL, recorded_change BIGINT NOT NULL);
CREATE TABLE model_embedding (chunk_id BIGINT PRIMARY KEY, vector BLOB NOT NULL, recorded_change BIGINT NOT NULL);

CREATE TEMP MACRO component_bytes(components) AS
unhex(array_to_string(list_transform(components, lambda component: printf('%02x', component & 255)), ''));
INSERT INTO chunk_embedding SELECT chunk_id, component_bytes(vector), recorded_change FROM listed_chunk;
INSERT INTO entity_embedding SELECT entity_id, component_bytes(vector), recorded_change FROM listed_entity;
INSERT INTO model_embedding SELECT chunk_id, component_bytes(vector), recorded_change FROM listed_model;
DROP MACRO component_bytes;

DROP TABLE listed_chunk;
DROP TABLE listed_entity;
DROP TABLE listed_model;

COMMENT ON TABLE chunk_embedding IS 'Derived: static vectors of chunks; `mcp-graphrag reindex` rebuilds them';
COMMENT ON TABLE entity_embedding IS 'Derived: static vectors of entity names; `mcp-graphrag reindex` rebuilds them';
COMMENT ON TABLE model_embedding IS 'Derived: vectors of chunks by the model in meta, made in the background';
COMMENT ON COLUMN chunk_embedding.vector IS 'One signed byte a component: the unit vector times 127 / its largest component';
COMMENT ON COLUMN entity_embedding.vector IS 'One signed byte a component: the unit vector times 127 / its largest component';
COMMENT ON COLUMN model_embedding.vector IS 'One signed byte a component: the unit vector times 127 / its largest component';
