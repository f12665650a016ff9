-- Results of a model by chunk, so that a job that is resumed pays no request twice.
CREATE TABLE model_result (
  extractor VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  model VARCHAR NOT NULL,
  chunk_hash VARCHAR NOT NULL,
  text_sha256 VARCHAR NOT NULL,
  result VARCHAR NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  PRIMARY KEY (extractor, version, model, chunk_hash)
);

COMMENT ON TABLE model_result IS 'What a model answered about chunks: may be emptied, then it is asked again';
