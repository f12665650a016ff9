-- words_of_predicates
-- The predicates of triples in force that lead to no phrase, each with the words of callers and models for it, or NULL.
SELECT DISTINCT p.name, e.surface
FROM triple t
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id AND NOT is_phrase(o)
LEFT JOIN evidence e
ON e.triple_id = t.id AND e.retired_change IS NULL AND NOT list_contains($rules::JSON::VARCHAR[], e.extractor)
WHERE t.retired_change IS NULL ORDER BY ALL

-- triples_to_restate
-- The triples of incoming predicates that lead to no phrase; with words, those in force of which all evidence has them.
SELECT DISTINCT t.id, m.predicate_id, m.swap
FROM triple t
JOIN incoming_predicate m ON m.former_id = t.predicate_id
JOIN entity o ON o.id = t.object_id AND NOT is_phrase(o)
WHERE m.surface IS NULL OR (t.retired_change IS NULL AND NOT EXISTS (
  SELECT 1 FROM evidence e
  WHERE e.triple_id = t.id AND e.retired_change IS NULL AND e.surface IS DISTINCT FROM m.surface))

-- delete_predicates
-- Delete those of the incoming predicates that no triple or value has any more.
DELETE FROM predicate WHERE id IN (SELECT former_id FROM incoming_predicate)
AND id NOT IN (SELECT predicate_id FROM triple) AND id NOT IN (SELECT predicate_id FROM entity_value)

-- restate_triples
-- Give triples another predicate, some with their ends exchanged.
UPDATE triple SET
  predicate_id = i.predicate_id,
  subject_id = CASE WHEN i.swap THEN triple.object_id ELSE triple.subject_id END,
  object_id = CASE WHEN i.swap THEN triple.subject_id ELSE triple.object_id END
FROM incoming_triple i WHERE triple.id = i.id

-- exchange_names
-- Exchange the names of the ends in the evidence of triples whose ends are exchanged.
UPDATE evidence SET subject_name = evidence.object_name, object_name = evidence.subject_name
FROM incoming_triple i WHERE i.swap AND evidence.triple_id = i.id
