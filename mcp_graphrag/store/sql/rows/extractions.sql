-- add_extractions
-- Record which extractor has read which chunk, where it has not read it before.
INSERT INTO extraction
SELECT chunk_id, $extractor, $version, triples, dropped, $change, NULL FROM incoming_extraction
WHERE chunk_id NOT IN (SELECT chunk_id FROM extraction WHERE extractor = $extractor AND retired_change IS NULL)

-- read_by_older_rules
-- The documents with a chunk that an extractor has read by other rules than those of a version.
SELECT DISTINCT d.uri FROM extraction x
JOIN chunk c ON c.id = x.chunk_id
JOIN document d ON d.id = c.document_id
WHERE x.retired_change IS NULL AND c.retired_change IS NULL AND d.retired_change IS NULL
  AND x.extractor = $extractor AND split_part(x.version, '+', 1) <> $version
ORDER BY d.uri

-- unextracted_chunks
-- How many active top-level chunks no extractor has read.
SELECT count(*) FROM chunk
WHERE retired_change IS NULL AND parent_id IS NULL
  AND id NOT IN (SELECT chunk_id FROM extraction WHERE retired_change IS NULL)

-- unread_chunks
-- What an extractor has not read of the active top-level chunks: of data only what gave nobody a triple.
SELECT {what} FROM chunk c JOIN document d ON d.id = c.document_id
WHERE c.retired_change IS NULL AND c.parent_id IS NULL AND d.retired_change IS NULL
  AND NOT list_contains($left_out::JSON::VARCHAR[], d.media_type)
  AND ($documents IS NULL OR list_contains($documents::JSON::BIGINT[], d.id))
  AND ($among IS NULL OR c.id IN FIRST (SELECT unnest($among::JSON::BIGINT[])))
  AND c.id NOT IN (SELECT chunk_id FROM extraction WHERE extractor = $extractor AND retired_change IS NULL)
  AND ($free_at IS NULL OR c.id NOT IN (SELECT chunk_id FROM extraction_lease WHERE expires_at > $free_at))
  AND (NOT list_contains($data::JSON::VARCHAR[], d.media_type)
       OR c.id NOT IN (SELECT chunk_id FROM extraction WHERE triples > 0 AND retired_change IS NULL))
{order}

-- take_leases
-- Hand out chunks; leases that have expired go.
DELETE FROM extraction_lease WHERE expires_at <= $now OR chunk_id IN (SELECT id FROM incoming_id);
INSERT INTO extraction_lease SELECT id, $holder, $expires_at FROM incoming_id

-- end_leases
-- Chunks that have been read are no longer handed out.
DELETE FROM extraction_lease WHERE chunk_id IN (SELECT id FROM incoming_id)

-- release_leases
-- Take the chunks of readers back.
DELETE FROM extraction_lease WHERE list_contains($holders::JSON::VARCHAR[], holder)

-- present_leases
-- Who reads how many chunks, and when the first of them is free again.
SELECT holder, count(*), min(expires_at) FROM extraction_lease
WHERE expires_at > $now GROUP BY holder ORDER BY min(expires_at), holder

-- names_in_documents
-- The entities that documents mention, those mentioned most first; pages are none.
STANDARD SELECT e.id, e.name, e.type FROM mention m
JOIN chunk c ON c.id = m.chunk_id JOIN entity e ON e.id = m.entity_id
WHERE m.retired_change IS NULL AND e.retired_change IS NULL AND lower(e.type) <> 'document'
  AND c.document_id IN FIRST (SELECT unnest($ids::JSON::BIGINT[]))
GROUP BY e.id, e.name, e.type ORDER BY count(*) DESC, e.id LIMIT $limit

-- drop_repeated_mentions
-- Delete the mentions in chunks that this change has recorded though they were stored.
DELETE FROM mention
WHERE recorded_change = $change AND extractor = $extractor AND chunk_id IN (SELECT id FROM incoming_id)
  AND (chunk_id, entity_id, start_offset, end_offset) IN (
    SELECT (m.chunk_id, m.entity_id, m.start_offset, m.end_offset) FROM mention m
    WHERE m.recorded_change < $change AND m.retired_change IS NULL AND m.extractor = $extractor
      AND m.chunk_id IN (SELECT id FROM incoming_id))

-- retire_extracted_evidence
-- Retire the evidence of extractors in documents. What a caller has decided since, as when a triple ended, stays.
UPDATE evidence SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND list_contains($extractors::JSON::VARCHAR[], extractor)
  AND chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id IN (SELECT id FROM incoming_id))
  AND recorded_change NOT IN (SELECT c.id FROM change c WHERE is_decision(c))

-- retire_extracted_rows
-- Retire the mentions or values of extractors in documents, or that they have read them.
UPDATE {table} SET retired_change = $change
WHERE retired_change IS NULL AND list_contains($extractors::JSON::VARCHAR[], extractor)
  AND chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id IN (SELECT id FROM incoming_id))

-- retire_extracted_names
-- Retire the other names that documents give, where nothing but these extractors has read the document.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND origin NOT IN ('name', 'merge') AND said_in IN (SELECT id FROM incoming_id)
  AND said_in NOT IN (
    SELECT c.document_id FROM extraction x JOIN chunk c ON c.id = x.chunk_id
    WHERE x.retired_change IS NULL AND c.document_id IN (SELECT id FROM incoming_id))

-- retire_extracted_edges
-- Retire the chunk edges that extractors have found in documents.
UPDATE chunk_edge SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND list_contains($extractors::JSON::VARCHAR[], extractor)
  AND source_id IN FIRST (SELECT id FROM chunk WHERE document_id IN (SELECT id FROM incoming_id))

-- decided_triples
-- Triples that this change has recorded though a caller had retired the same triple.
SELECT DISTINCT t.id FROM triple t
JOIN triple o ON o.subject_id = t.subject_id AND o.predicate_id = t.predicate_id AND o.object_id = t.object_id
JOIN change c ON c.id = o.retired_change
WHERE t.recorded_change = $change AND t.retired_change IS NULL
  AND o.subject_id IN FIRST (SELECT subject_id FROM triple WHERE recorded_change = $change)
  AND o.valid_from IS NOT DISTINCT FROM t.valid_from AND o.valid_to IS NOT DISTINCT FROM t.valid_to
  AND is_decision(c)

-- conflicts_taken_back
-- What this change has recorded as a contradiction and retired again.
SELECT detail FROM conflict WHERE recorded_change = $change AND retired_change = $change
