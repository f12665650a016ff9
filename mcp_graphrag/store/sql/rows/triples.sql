-- predicates
-- Every predicate.
SELECT name, id FROM predicate

-- predicates_of_phrases
-- The predicates with triples that lead to phrases alone, and those of values alone.
STANDARD SELECT predicate_id FROM triple t GROUP BY predicate_id HAVING bool_and(NOT is_of_names(t))
UNION SELECT predicate_id FROM entity_value WHERE predicate_id NOT IN (SELECT DISTINCT predicate_id FROM triple)

-- add_predicates
-- Add predicates.
INSERT INTO predicate SELECT id, name, '', $change FROM incoming_predicate

-- match_triples
-- The active triple that states the same as each incoming identity, by a join.
SELECT i.position, t.id AS triple_id
FROM incoming_identity i
JOIN (
  SELECT * FROM triple
  WHERE retired_change IS NULL AND subject_id IN (SELECT subject_id FROM incoming_identity)) t
  ON same_triple(t, i)

-- triples_between
-- The active triples with one of some subjects, predicates and objects each, with their times in microseconds.
SELECT subject_id, predicate_id, object_id, epoch_us(valid_from), epoch_us(valid_to), id FROM triple
WHERE retired_change IS NULL AND subject_id IN ({subjects}) AND object_id IN ({objects})
  AND predicate_id IN ({predicates})

-- triples_between_since
-- The same, of some triples that were active after a generation, and of those recorded since.
SELECT subject_id, predicate_id, object_id, epoch_us(valid_from), epoch_us(valid_to), id FROM triple
WHERE retired_change IS NULL AND id IN ({ids}) AND recorded_change <= $since AND predicate_id IN ({predicates})
UNION ALL
SELECT subject_id, predicate_id, object_id, epoch_us(valid_from), epoch_us(valid_to), id FROM triple
WHERE retired_change IS NULL AND recorded_change > $since AND subject_id IN ({subjects}) AND object_id IN ({objects})
  AND predicate_id IN ({predicates})

-- add_triples
-- Add those of the incoming rows that are the first of a new triple; what the others say is combined later.
INSERT INTO triple
SELECT triple_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, metadata, $now, $change, NULL,
       NULL, said_until
FROM incoming_triple WHERE is_first

-- add_triple
-- Add one triple.
INSERT INTO triple
VALUES ($triple_id, $subject_id, $predicate_id, $object_id, $confidence, $valid_from, $valid_to, $metadata, $now,
        $change, NULL, NULL, $said_until)

-- add_evidence_of_one
-- Add the evidence of one new triple.
INSERT INTO evidence
VALUES ($evidence_id, $triple_id, $chunk_id, $start_offset, $end_offset, $quote, $extractor, $confidence,
        $surface, $source, $now, $change, NULL, NULL, $subject_name, $object_name, $metadata, $said_until)

-- add_first_evidence
-- Add the evidence of triples that are new and stated once: it cannot be stored already.
INSERT INTO evidence
SELECT nextval('evidence_id'), triple_id, nullif(chunk_id, -1), nullif(start_offset, -1), nullif(end_offset, -1), quote,
       $extractor, confidence, surface, source, $now, $change, NULL, NULL, subject_name, object_name, metadata,
       said_until
FROM incoming_triple WHERE stated_once

-- new_evidence
-- Of the other rows, the evidence that is not stored yet, or with a lower confidence.
WITH stated AS (
  SELECT * REPLACE (nullif(chunk_id, -1) AS chunk_id, nullif(start_offset, -1) AS start_offset,
                    nullif(end_offset, -1) AS end_offset)
  FROM incoming_triple WHERE NOT stated_once)
SELECT e.*
FROM (
  SELECT DISTINCT ON (triple_id, chunk_id, start_offset, end_offset, quote, source) * FROM stated
  ORDER BY confidence DESC, position) e
WHERE NOT EXISTS (
  SELECT 1 FROM evidence v
  WHERE v.triple_id = e.triple_id AND v.retired_change IS NULL AND v.extractor = $extractor
    AND same_evidence(v, e) AND v.confidence >= e.confidence
    AND v.triple_id IN (SELECT triple_id FROM incoming_triple))

-- retire_replaced_evidence
-- Retire evidence that new evidence repeats with a higher confidence.
UPDATE evidence SET retired_at = $now, retired_change = $change
FROM new_evidence e
WHERE evidence.triple_id = e.triple_id AND evidence.retired_change IS NULL AND evidence.extractor = $extractor
  AND same_evidence(evidence, e)

-- add_evidence
-- Add it.
INSERT INTO evidence
SELECT nextval('evidence_id'), triple_id, chunk_id, start_offset, end_offset, quote, $extractor, confidence, surface,
       source, $now, $change, NULL, NULL, subject_name, object_name, metadata, said_until
FROM new_evidence

-- triples_by_id
-- Triples by primary key; a join would scan the table instead.
SELECT id, subject_id, predicate_id, object_id, confidence, properties, valid_from, valid_to, recorded_at, retired_at,
       said_until
FROM triple WHERE id IN ({ids})

-- match_pattern
-- What is wanted of the active triples that match a pattern, of all or a page of them; NULL matches all.
STANDARD SELECT {wanted}
FROM triple t
JOIN entity s ON s.id = t.subject_id
JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL AND t.id > $after
  AND ($subjects IS NULL OR t.subject_id IN FIRST (SELECT unnest($subjects::BIGINT[])))
  AND ($objects IS NULL OR t.object_id IN FIRST (SELECT unnest($objects::BIGINT[])))
  AND ($predicates IS NULL OR t.predicate_id IN FIRST (SELECT unnest($predicates::BIGINT[])))
  AND t.confidence >= $min_confidence::REAL
  AND ($as_of IS NULL OR valid_at(t, $as_of))
  AND ($subject_types IS NULL OR type_key(s.type) IN FIRST (SELECT unnest($subject_types::JSON::VARCHAR[])))
  AND ($object_types IS NULL OR type_key(o.type) IN FIRST (SELECT unnest($object_types::JSON::VARCHAR[])))
  {among}
{page}

-- evidence_within
-- The active evidence in some documents by triple, the most confident first.
STANDARD SELECT v.triple_id, v.id FROM evidence v JOIN chunk c ON c.id = v.chunk_id
WHERE v.retired_change IS NULL AND c.document_id IN (SELECT id FROM incoming_id)
ORDER BY v.triple_id, v.confidence DESC, v.id

-- evidence_by_id
-- Evidence by primary key.
SELECT id, triple_id, start_offset, end_offset, quote, extractor, confidence, surface, source, chunk_id
FROM evidence WHERE id IN ({ids})

-- evidence_rows
-- The active evidence of each triple; the less doubt, the more confident.
SELECT triple_id, -confidence AS doubt, id FROM evidence WHERE retired_change IS NULL

-- evidence_changes
-- The evidence that was recorded or retired after a generation. Of one condition each: what it cannot hold for is skipped.
SELECT triple_id, -confidence AS doubt, id, retired_change IS NOT NULL AS retired
FROM evidence WHERE recorded_change > $since
UNION ALL
SELECT triple_id, -confidence, id, true FROM evidence WHERE retired_change > $since AND recorded_change <= $since

-- chunk_spans
-- The document and span of chunks, for citations.
SELECT id, document_id, start_offset, end_offset, sha256 FROM chunk WHERE id IN ({ids})

-- predicate_counts
-- How many active triples each predicate has.
STANDARD SELECT p.name, count(*) AS triples
FROM triple t JOIN predicate p ON p.id = t.predicate_id
WHERE t.retired_change IS NULL
  AND t.confidence >= $min_confidence::REAL
  AND ($as_of IS NULL OR valid_at(t, $as_of))
GROUP BY p.name ORDER BY triples DESC, p.name COLLATE "C"

-- extractor_counts
-- How many pieces of active evidence each extractor has.
STANDARD SELECT extractor, count(*) AS evidence FROM evidence WHERE retired_change IS NULL
GROUP BY extractor ORDER BY evidence DESC, extractor COLLATE "C"

-- graph_rows
-- The active triples between names, by id, for the graph in memory: no walk leads over a phrase.
SELECT graph_columns(t) FROM triple t WHERE t.retired_change IS NULL AND is_of_names(t) ORDER BY t.id

-- phrase_triples
-- The active triples from entities to phrases, the most confident first; without predicates none of commits.
STANDARD SELECT t.id, t.subject_id, t.confidence FROM triple t JOIN entity o ON o.id = t.object_id
WHERE t.retired_change IS NULL AND t.subject_id IN (SELECT id FROM incoming_id) AND NOT is_of_names(t)
  AND t.confidence >= $min_confidence::REAL
  AND CASE WHEN $predicates IS NULL THEN o.type = 'Phrase'
           ELSE t.predicate_id IN FIRST (SELECT unnest($predicates::BIGINT[])) END
  AND ($as_of IS NULL OR valid_at(t, $as_of))
ORDER BY t.confidence DESC, t.id

-- phrase_graph_rows
-- The active triples from entities to phrases, by id, for one walk over the graph in memory.
SELECT graph_columns(t) FROM triple t
WHERE t.retired_change IS NULL AND NOT is_of_names(t) AND t.confidence >= $min_confidence::REAL ORDER BY t.id

-- past_graph_rows
-- Of the triples active at a past moment, those that are retired now, or were restored since.
SELECT graph_columns(t) FROM triple t WHERE t.then_only AND is_of_names(t) ORDER BY t.id

-- changed_triples
-- The triples that were recorded or retired after a generation. Of one condition each, as in `evidence_changes`.
SELECT id FROM triple WHERE recorded_change > $since
UNION ALL
SELECT id FROM triple WHERE retired_change > $since AND recorded_change <= $since

-- graph_rows_by_id
-- Some triples between names by primary key, for the graph in memory.
SELECT graph_columns(t), t.retired_change IS NOT NULL AS retired
FROM triple t WHERE is_of_names(t) AND t.id IN ({ids}) ORDER BY t.id

-- clear_graph
-- Delete every triple and entity for good.
DELETE FROM evidence; DELETE FROM triple; DELETE FROM mention; DELETE FROM entity_value; DELETE FROM entity_alias;
DELETE FROM entity; DELETE FROM predicate; DELETE FROM extraction; DELETE FROM conflict; DELETE FROM merge;
DELETE FROM distinct_pair;
DELETE FROM past WHERE kind NOT IN ('document', 'chunk', 'chunk_edge')

-- clear_documents
-- Delete every document with everything derived from it for good.
DELETE FROM posting; DELETE FROM chunk_length; DELETE FROM term; DELETE FROM chunk_edge; DELETE FROM chunk;
DELETE FROM document; DELETE FROM model_result; DELETE FROM model_batch; DELETE FROM job_item; DELETE FROM job; DELETE FROM past

-- evidence_ids_of
-- The evidence of triples, with its confidence, by a scan.
SELECT id, triple_id, confidence FROM evidence WHERE retired_change IS NULL AND triple_id IN ({ids})

-- triples_of_entity
-- The active triples that name an entity.
STANDARD SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $id OR object_id = $id) ORDER BY id

-- ends_of_triples
-- The entities that triples name.
SELECT subject_id FROM triple WHERE id IN (SELECT id FROM incoming_id)
UNION SELECT object_id FROM triple WHERE id IN (SELECT id FROM incoming_id)
