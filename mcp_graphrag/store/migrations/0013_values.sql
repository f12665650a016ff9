-- Values: numbers, dates and short texts that tables, records and labelled lines state of entities. They are no entities.

CREATE TABLE entity_value (
  chunk_id BIGINT NOT NULL,
  entity_id BIGINT NOT NULL,
  predicate_id BIGINT NOT NULL,
  value VARCHAR NOT NULL,
  number DOUBLE,
  moment TIMESTAMP,
  start_offset BIGINT NOT NULL,
  end_offset BIGINT NOT NULL,
  extractor VARCHAR NOT NULL,
  confidence FLOAT NOT NULL,
  surface VARCHAR,
  name VARCHAR,
  recorded_change BIGINT NOT NULL,
  retired_change BIGINT
);

CREATE VIEW entity_values AS
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

COMMENT ON VIEW entity_values IS 'Values stated of entities: as written, as a number or date where they are one, with the line they are in';
COMMENT ON TABLE entity_value IS 'Numbers, dates and short texts that a span of a chunk states of an entity';
COMMENT ON COLUMN entity_value.predicate_id IS 'What the heading of the column or the label stands for';
COMMENT ON COLUMN entity_value.value IS 'As it is written in the document';
COMMENT ON COLUMN entity_value.number IS 'The number that it is, without its unit, NULL for another text';
COMMENT ON COLUMN entity_value.moment IS 'The first moment of the date that it is, NULL for another text';
COMMENT ON COLUMN entity_value.start_offset IS 'Its span, in characters of the document; the end is exclusive';
COMMENT ON COLUMN entity_value.surface IS 'The heading or label as it is written';
COMMENT ON COLUMN entity_value.name IS 'The name that the document uses for the entity, NULL for its own';
