-- combine_confidence
-- Touched triples are as sure as their independent sources together and what confirmations add, and have the properties
-- that the first of their evidence gives.
UPDATE triple SET confidence = whole.confidence, properties = whole.properties
FROM (
  SELECT triple_id, least(1, 1 - product(1 - best) + sum(boost))::FLOAT AS confidence,
         arg_min(properties, first) AS properties
  FROM (
    SELECT v.triple_id, arg_min(v.properties, v.id) AS properties, min(v.id) FILTER (v.properties IS NOT NULL) AS first,
           coalesce('document ' || c.document_id, 'source ' || v.source, 'extractor ' || v.extractor) AS said_by,
           coalesce(max(v.confidence) FILTER (v.extractor <> 'outcome'), 0)::DOUBLE AS best,
           coalesce(sum(v.confidence) FILTER (v.extractor = 'outcome'), 0) AS boost
    FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id
    WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT triple_id FROM touched_triple)
    GROUP BY v.triple_id, said_by)
  GROUP BY triple_id) whole
WHERE triple.id = whole.triple_id AND triple.retired_change IS NULL
  AND (triple.confidence <> whole.confidence OR triple.properties IS DISTINCT FROM whole.properties)

-- triples_with_other_evidence
-- The triples whose evidence a change has recorded or retired.
SELECT DISTINCT triple_id FROM evidence WHERE recorded_change = $change OR retired_change = $change

-- confidences_then
-- How sure triples were by the evidence that this snapshot knows.
SELECT triple_id, least(1, 1 - product(1 - best) + sum(boost)) AS confidence
FROM (
  SELECT v.triple_id,
         coalesce('document ' || c.document_id, 'source ' || v.source, 'extractor ' || v.extractor) AS said_by,
         coalesce(max(v.confidence) FILTER (v.extractor <> 'outcome'), 0)::DOUBLE AS best,
         coalesce(sum(v.confidence) FILTER (v.extractor = 'outcome'), 0) AS boost
  FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id
  WHERE v.retired_change IS NULL AND v.triple_id IN ({ids})
  GROUP BY ALL)
GROUP BY triple_id
