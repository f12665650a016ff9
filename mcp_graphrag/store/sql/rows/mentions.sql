-- add_mentions
-- Add mentions.
INSERT INTO mention
SELECT chunk_id, entity_id, start, "end", $extractor, $change, name, type, NULL FROM incoming_mention

-- mention_weights
-- How often each chunk mentions each entity: the change of the count after a generation, -1 for the whole count.
SELECT chunk_id, entity_id, sum(CASE WHEN retired_change IS NULL THEN 1 ELSE -1 END) AS weight
FROM (
  SELECT * FROM mention WHERE recorded_change > $since AND retired_change IS NULL
  UNION ALL
  SELECT * FROM mention WHERE recorded_change <= $since AND retired_change > $since)
GROUP BY chunk_id, entity_id HAVING weight <> 0

-- titles_since
-- The titles of active documents that were added or updated after a generation.
SELECT id, title FROM document WHERE retired_change IS NULL AND recorded_change > $since

-- norms_since
-- The normal forms of active entities that were added or updated after a generation.
SELECT id, norm FROM entity e WHERE retired_change IS NULL AND recorded_change > $since AND NOT is_phrase(e)

-- entities_titled
-- The active entities whose name has the normal form of a document's title.
SELECT i.document_id, e.id AS entity_id
FROM incoming_norm i JOIN entity e ON e.norm = i.norm
WHERE e.retired_change IS NULL AND NOT is_phrase(e)

-- top_chunks_of_documents
-- The active top-level chunks of documents, in reading order.
SELECT document_id, id AS chunk_id FROM chunk
WHERE retired_change IS NULL AND parent_id IS NULL AND document_id IN (SELECT document_id FROM incoming_document_id)
ORDER BY document_id, id

-- definition_places
-- Where entities are defined in source code, in the order of the documents: what its extractor mentions.
STANDARD SELECT DISTINCT c.document_id, m.start_offset FROM mention m JOIN chunk c ON c.id = m.chunk_id
WHERE m.retired_change IS NULL AND m.extractor = 'code' AND m.entity_id IN FIRST (SELECT unnest($ids::BIGINT[]))
ORDER BY c.document_id, m.start_offset

-- definition_chunks
-- The first chunk and place of the definition of each of some entities in source code.
SELECT m.entity_id, arg_min(m.chunk_id, m.start_offset), min(m.start_offset) FROM mention m
WHERE m.retired_change IS NULL AND m.extractor = 'code' AND m.entity_id IN FIRST (SELECT unnest($ids::BIGINT[]))
GROUP BY m.entity_id

-- definitions_at
-- The entities whose definition has its name at a place of a document's source code.
SELECT DISTINCT m.entity_id FROM mention m JOIN chunk c ON c.id = m.chunk_id
WHERE m.retired_change IS NULL AND m.extractor = 'code' AND c.document_id = $document AND m.start_offset = $at
  AND m.chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id = $document)
ORDER BY m.entity_id

-- mention_spans
-- The mentions in a chunk, with their spans.
SELECT chunk_id, entity_id, start_offset, end_offset FROM mention WHERE chunk_id = {id} AND retired_change IS NULL

-- chunks_mentioning
-- The active chunks that mention any of the entities.
SELECT DISTINCT chunk_id FROM mention
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM incoming_id)

-- evidence_of_chunks
-- The triples that a chunk is evidence for, and by which extractor; a join would read all triples.
SELECT chunk_id, triple_id, extractor FROM evidence WHERE chunk_id = {id} AND retired_change IS NULL

-- triple_parts
-- Active triples by primary key.
SELECT id, subject_id, predicate_id, object_id FROM triple WHERE id IN ({ids}) AND retired_change IS NULL

-- chunks_stating
-- The active chunks that are evidence for a triple of any of the predicates.
STANDARD SELECT DISTINCT v.chunk_id
FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.chunk_id IS NOT NULL AND v.retired_change IS NULL AND t.retired_change IS NULL
  AND t.predicate_id IN FIRST (SELECT unnest($predicates::BIGINT[]))
  AND ($as_of IS NULL OR valid_at(t, $as_of))

-- chunks_of_evidence
-- The triple and chunk of pieces of evidence, by primary key.
SELECT triple_id, chunk_id FROM evidence WHERE id IN ({ids}) AND chunk_id IS NOT NULL
