-- find_model_results
-- The results of a model for chunks.
SELECT chunk_hash, result FROM model_result
WHERE extractor = $extractor AND version = $version AND model = $model AND list_contains($keys::VARCHAR[], chunk_hash)

-- add_model_results
-- Add results of a model.
INSERT OR REPLACE INTO model_result
SELECT $extractor, $version, $model, chunk_hash, text_sha256, result, $now FROM incoming_result
