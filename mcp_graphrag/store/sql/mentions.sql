-- mention_weights
-- How often each chunk in force mentions each entity.
SELECT chunk_id, entity_id, count(*) AS weight
FROM mention WHERE retired_change IS NULL
GROUP BY chunk_id, entity_id ORDER BY chunk_id, entity_id

-- mention_weights_since
-- What mentions since a generation add to that or take from it.
SELECT chunk_id, entity_id, sum(CASE WHEN retired_change IS NULL THEN 1 ELSE -1 END) AS weight
FROM mention
WHERE (recorded_change > $since AND retired_change IS NULL) OR (recorded_change <= $since AND retired_change > $since)
GROUP BY chunk_id, entity_id HAVING weight <> 0

-- mention_titles_since
-- The titles of the documents in force that came or were described anew after a generation.
SELECT id, title FROM document WHERE retired_change IS NULL AND recorded_change > $since

-- mention_norms_since
-- The normal forms of entities in force that came or were reworded after a generation.
SELECT id, norm FROM entity WHERE retired_change IS NULL AND recorded_change > $since

-- mention_bearers
-- The entities in force whose name has an offered normal form.
SELECT i.document_id, e.id AS entity_id
FROM incoming_norm i JOIN entity e ON e.norm = i.norm
WHERE e.retired_change IS NULL

-- mention_chunks_of_documents
-- The top-level chunks in force of the offered documents.
SELECT document_id, id AS chunk_id FROM chunk
WHERE retired_change IS NULL AND parent_id IS NULL AND document_id IN (SELECT document_id FROM incoming_document_id)
ORDER BY document_id, id

-- mention_spans
-- Where chunks mention what, by chunk.
SELECT chunk_id, entity_id, start_offset, end_offset FROM mention
WHERE chunk_id IN ({ids}) AND retired_change IS NULL

-- chunks_mentioning
-- The chunks in force that mention an entity of the offered ones.
SELECT DISTINCT chunk_id FROM mention
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM mentioned)

-- evidence_told_in
-- The triples that chunks give evidence for, and by which extractor; a join would read all triples.
SELECT DISTINCT chunk_id, triple_id, extractor FROM evidence WHERE chunk_id IN ({ids}) AND retired_change IS NULL

-- parts_of_triples
-- Triples in force by primary key.
SELECT id, subject_id, predicate_id, object_id FROM triple WHERE id IN ({ids}) AND retired_change IS NULL

-- chunks_stating
-- The chunks in force that give evidence for a triple of one of the predicates.
SELECT DISTINCT v.chunk_id
FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.chunk_id IS NOT NULL AND v.retired_change IS NULL AND t.retired_change IS NULL
  AND list_contains($predicates::BIGINT[], t.predicate_id)
  AND ($as_of IS NULL OR (coalesce(t.valid_from <= $as_of, true) AND coalesce($as_of < t.valid_to, true)))

-- chunks_of_evidence
-- The chunk and triple of pieces of evidence, by primary key.
SELECT id, triple_id, chunk_id, extractor FROM evidence WHERE id IN ({ids})

-- hash_norms
-- The hashes under which normal forms are kept, in the order offered.
SELECT hash(norm) AS hash FROM incoming_norm ORDER BY position

-- norms_borne
-- Which entities bear which of the offered normal forms, by a scan.
SELECT i.position, a.entity_id, min(a.origin <> 'name') AS is_alias
FROM incoming_norm i JOIN entity_alias a ON a.norm = i.norm
WHERE a.retired_change IS NULL
GROUP BY i.position, a.entity_id ORDER BY i.position, is_alias, a.entity_id
