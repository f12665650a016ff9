-- find_model_results
-- The results of a model for chunks.
SELECT chunk_hash, result FROM model_result
WHERE extractor = $extractor AND version = $version AND model = $model AND list_contains($keys::VARCHAR[], chunk_hash)

-- add_model_results
-- Add results of a model.
INSERT OR REPLACE INTO model_result
SELECT $extractor, $version, $model, chunk_hash, text_sha256, result, $now FROM incoming_result

-- pending_model_batches
-- The batches of a model whose answers are awaited.
SELECT batch_id, requests, recorded_at FROM model_batch
WHERE extractor = $extractor AND version = $version AND model = $model
ORDER BY recorded_at, batch_id

-- set_model_batch
-- Add a batch, or replace its requests. The API keeps answers for 29 days.
DELETE FROM model_batch WHERE recorded_at < $now - INTERVAL 29 DAY;
INSERT OR REPLACE INTO model_batch VALUES ($batch_id, $extractor, $version, $model, $requests, $now)

-- set_model_batch_id
-- Store a batch under the id that the API gave it.
UPDATE model_batch SET batch_id = $batch_id WHERE batch_id = $before

-- delete_model_batch
-- Delete a batch whose answers were taken.
DELETE FROM model_batch WHERE batch_id = $batch_id
