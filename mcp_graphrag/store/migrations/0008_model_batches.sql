-- Batches of requests to a model that were submitted, so that a job that is resumed takes their answers.
CREATE TABLE model_batch (
  batch_id VARCHAR NOT NULL PRIMARY KEY,
  extractor VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  model VARCHAR NOT NULL,
  requests VARCHAR NOT NULL,
  recorded_at TIMESTAMP NOT NULL
);

COMMENT ON TABLE model_batch IS 'Batches of requests to a model whose answers are awaited: may be emptied, then it is asked again';
