-- combine_confidence
-- The confidence of triples from independent sources and confirmations, and the properties of the oldest evidence.
UPDATE triple
SET confidence = combined.confidence, properties = combined.properties, said_until = combined.said_until
FROM (
  SELECT triple_id, combined_confidence()::REAL AS confidence, arg_min(properties, first) AS properties,
         latest_said(per_source) AS said_until
  FROM (
    SELECT v.triple_id, arg_min(v.properties, v.id) AS properties, min(v.id) FILTER (v.properties IS NOT NULL) AS first,
           latest_said(v) AS said_until, per_source(v, c)
    FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id AND c.id IN FIRST (
      SELECT chunk_id FROM evidence
      WHERE triple_id IN (SELECT triple_id FROM incoming_triple_id) AND chunk_id IS NOT NULL)
    WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT triple_id FROM incoming_triple_id)
    GROUP BY v.triple_id, source_key) per_source
  GROUP BY triple_id) combined
WHERE triple.id = combined.triple_id AND triple.retired_change IS NULL
  AND triple.id IN (SELECT triple_id FROM incoming_triple_id)
  AND (triple.confidence <> combined.confidence OR triple.properties IS DISTINCT FROM combined.properties
       OR triple.said_until IS DISTINCT FROM combined.said_until)

-- triples_with_changed_evidence
-- The triples whose evidence a change has recorded or retired.
STANDARD SELECT DISTINCT triple_id FROM evidence WHERE recorded_change = $change OR retired_change = $change

-- past_confidences
-- The confidence of triples by the evidence that this snapshot sees.
SELECT triple_id, combined_confidence() AS confidence
FROM (
  SELECT v.triple_id, per_source(v, c)
  FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id AND c.id IN FIRST (
    SELECT chunk_id FROM evidence WHERE triple_id IN ({ids}) AND chunk_id IS NOT NULL)
  WHERE v.retired_change IS NULL AND v.triple_id IN ({ids})
  GROUP BY v.triple_id, source_key)
GROUP BY triple_id
