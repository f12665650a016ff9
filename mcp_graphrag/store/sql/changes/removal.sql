-- document_support
-- The active documents with what each supports, oldest first.
STANDARD WITH page AS (
  SELECT * FROM document WHERE retired_change IS NULL AND id > $after ORDER BY id LIMIT $limit),
pieces AS (
  SELECT c.id, c.document_id FROM chunk c
  WHERE c.document_id IN (SELECT id FROM page) AND c.retired_change IS NULL),
supported AS (
  SELECT DISTINCT p.document_id, v.triple_id
  FROM evidence v JOIN pieces p ON p.id = v.chunk_id WHERE v.retired_change IS NULL),
supporters AS (
  SELECT v.triple_id, count(DISTINCT coalesce(c.document_id, -v.id)) AS supporters
  FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id
  WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT triple_id FROM supported)
  GROUP BY v.triple_id)
SELECT document_columns(d),
       (SELECT count(*) FROM pieces p WHERE p.document_id = d.id) AS chunks,
       (SELECT count(DISTINCT m.entity_id) FROM mention m JOIN pieces p ON p.id = m.chunk_id
        WHERE p.document_id = d.id AND m.retired_change IS NULL) AS entities,
       (SELECT count(*) FROM supported s WHERE s.document_id = d.id) AS triples,
       (SELECT count(*) FROM supported s JOIN supporters o ON o.triple_id = s.triple_id
        WHERE s.document_id = d.id AND o.supporters = 1) AS alone
FROM page d ORDER BY d.id

-- documents_titled
-- The active documents with a title, whatever its case.
SELECT id FROM document WHERE retired_change IS NULL AND lower(title) = lower($title) ORDER BY id

-- entities_of_document
-- The entities that a document mentions, names, gives a value or is evidence for.
STANDARD SELECT entity_id FROM mention
WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chunk WHERE document_id = $id)
UNION
SELECT entity_id FROM entity_value
WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chunk WHERE document_id = $id)
UNION
SELECT t.subject_id FROM triple t
WHERE t.id IN (SELECT triple_id FROM evidence
               WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chunk WHERE document_id = $id))
UNION
SELECT t.object_id FROM triple t
WHERE t.id IN (SELECT triple_id FROM evidence
               WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chunk WHERE document_id = $id))
UNION
SELECT entity_id FROM entity_alias WHERE retired_change IS NULL AND said_in = $id

-- retire_spans_of_entity
-- Retire its mentions or values.
UPDATE {table} SET retired_change = $change WHERE retired_change IS NULL AND entity_id = $id

-- entities_of_purged
-- The entities that any version of the document mentions, names, gives a value or is evidence for.
STANDARD SELECT entity_id FROM mention WHERE chunk_id IN (SELECT id FROM chunk WHERE document_id IN (FROM purged_document))
UNION
SELECT entity_id FROM entity_value WHERE chunk_id IN (SELECT id FROM chunk WHERE document_id IN (FROM purged_document))
UNION
SELECT t.subject_id FROM triple t
WHERE t.id IN (SELECT triple_id FROM evidence
               WHERE chunk_id IN (SELECT id FROM chunk WHERE document_id IN (FROM purged_document)))
UNION
SELECT t.object_id FROM triple t
WHERE t.id IN (SELECT triple_id FROM evidence
               WHERE chunk_id IN (SELECT id FROM chunk WHERE document_id IN (FROM purged_document)))
UNION
SELECT entity_id FROM entity_alias WHERE said_in IN (FROM purged_document)

-- purged_documents
-- Every version of a document.
SELECT id FROM document WHERE uri = $uri

-- purged_chunks
-- Every chunk of these.
SELECT id FROM chunk WHERE document_id IN (FROM purged_document)

-- triples_of_purged
-- The triples for which only these chunks, and confirmations, are evidence.
STANDARD SELECT DISTINCT v.triple_id FROM evidence v
WHERE v.chunk_id IN (FROM purged_chunk) AND NOT EXISTS (
  SELECT 1 FROM evidence o
  WHERE o.triple_id = v.triple_id AND o.extractor <> 'outcome'
    AND (o.chunk_id IS NULL OR o.chunk_id NOT IN (FROM purged_chunk)))

-- purge_documents
-- Delete documents for good: their chunks, and everything read or derived from these.
DELETE FROM posting WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM chunk_length WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM extraction WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM mention WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM entity_value WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'evidence' AND id IN (SELECT id FROM evidence WHERE chunk_id IN (FROM purged_chunk));
DELETE FROM evidence WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'chunk_edge' AND id IN (
  SELECT id FROM chunk_edge WHERE source_id IN (FROM purged_chunk) OR target_id IN (FROM purged_chunk));
DELETE FROM chunk_edge WHERE source_id IN (FROM purged_chunk) OR target_id IN (FROM purged_chunk);
DELETE FROM model_result WHERE text_sha256 IN (SELECT sha256 FROM chunk WHERE id IN (FROM purged_chunk));
DELETE FROM past WHERE kind = 'chunk' AND id IN (FROM purged_chunk);
DELETE FROM chunk WHERE id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'document' AND id IN (FROM purged_document);
DELETE FROM document WHERE id IN (FROM purged_document);
DELETE FROM entity_alias WHERE retired_change IS NOT NULL AND said_in IN (FROM purged_document);
DELETE FROM entity_alias WHERE retired_change IS NOT NULL AND document_id IN (FROM purged_document)

-- purge_terms
-- Delete the terms that no chunk has any more.
DELETE FROM term WHERE id IN FIRST (
  STANDARD SELECT t.id FROM term t WHERE NOT EXISTS (SELECT 1 FROM posting p WHERE p.term_id = t.id))

-- purge_triples
-- Delete triples for good, with their evidence and conflicts.
DELETE FROM past WHERE kind = 'evidence' AND id IN (
  SELECT id FROM evidence WHERE triple_id IN (FROM incoming_id));
DELETE FROM past WHERE kind = 'conflict' AND id IN (
  SELECT id FROM conflict WHERE triple_id IN (FROM incoming_id) OR other_id IN (FROM incoming_id));
DELETE FROM evidence WHERE triple_id IN (FROM incoming_id);
DELETE FROM conflict WHERE triple_id IN (FROM incoming_id) OR other_id IN (FROM incoming_id);
DELETE FROM past WHERE kind = 'triple' AND id IN (FROM incoming_id);
DELETE FROM triple WHERE id IN (FROM incoming_id)

-- duplicate_triples
-- Every triple, active or retired, with the same subject, predicate and object as any of these.
SELECT DISTINCT o.id
FROM triple o
JOIN triple t ON t.subject_id = o.subject_id AND t.predicate_id = o.predicate_id AND t.object_id = o.object_id
WHERE t.id IN (SELECT id FROM incoming_id)

-- triples_ever_of_entity
-- Every triple, active or retired, that names an entity.
STANDARD SELECT id FROM triple WHERE subject_id = $id OR object_id = $id

-- purged_entities
-- Those of the entities that are retired and that no triple, mention or value is left of.
STANDARD SELECT e.id FROM entity e WHERE e.retired_change IS NOT NULL AND e.id IN (SELECT id FROM incoming_id)
  AND NOT EXISTS (SELECT 1 FROM triple u WHERE u.subject_id = e.id)
  AND NOT EXISTS (SELECT 1 FROM triple u WHERE u.object_id = e.id)
  AND NOT EXISTS (SELECT 1 FROM mention u WHERE u.entity_id = e.id)
  AND NOT EXISTS (SELECT 1 FROM entity_value u WHERE u.entity_id = e.id)

-- purge_entities
-- Delete entities for good.
DELETE FROM entity_alias WHERE entity_id IN (FROM purged_entity);
DELETE FROM past WHERE kind = 'merge' AND id IN (
  SELECT id FROM merge WHERE kept_id IN (FROM purged_entity) OR merged_id IN (FROM purged_entity));
DELETE FROM merge WHERE kept_id IN (FROM purged_entity) OR merged_id IN (FROM purged_entity);
DELETE FROM distinct_pair WHERE entity_id IN (FROM purged_entity) OR other_id IN (FROM purged_entity);
DELETE FROM past WHERE kind = 'entity' AND id IN (FROM purged_entity);
DELETE FROM entity WHERE id IN (FROM purged_entity)

-- purge_spans_of_entity
-- Delete the mentions or values of an entity for good.
DELETE FROM {table} WHERE entity_id = $id

-- entities_of_change
-- The entities of rows that a change has recorded or retired.
STANDARD SELECT DISTINCT entity_id FROM (
  SELECT subject_id AS entity_id FROM triple WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT object_id FROM triple WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT entity_id FROM mention WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT entity_id FROM entity_value WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT entity_id FROM entity_alias WHERE recorded_change = $change OR retired_change = $change
  UNION ALL SELECT id FROM entity WHERE recorded_change = $change OR retired_change = $change) touched

-- unsupported_among
-- Those of the entities that nothing supports.
STANDARD SELECT e.id FROM entity e WHERE e.retired_change IS NULL AND e.id IN ({ids}) AND is_unsupported(e)

-- retire_entities
-- Retire entities.
UPDATE entity SET retired_at = $now, retired_change = $change WHERE id IN ({ids})

-- retire_names_of_retired
-- Retire the names of entities that this change retires.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id IN FIRST (SELECT id FROM entity WHERE retired_change = $change)

-- unsupported_entities
-- The active entities that nothing supports.
STANDARD SELECT e.id FROM entity e WHERE e.retired_change IS NULL AND is_unsupported(e)

-- compacted
-- The last change up to which retired rows were dropped, and the moment that was asked for; none if none ever was.
SELECT max(value) FILTER (key = 'compacted_change')::BIGINT, max(value) FILTER (key = 'compacted_at')::TIMESTAMP
FROM meta WHERE key IN ('compacted_change', 'compacted_at') HAVING count(*) = 2

-- drop_retired
-- Delete what was retired up to a change, for good; a row to which one refers that stays, stays too.
DELETE FROM past WHERE retired_change <= $until;
DELETE FROM ontology WHERE retired_change <= $until;
DELETE FROM distinct_pair WHERE retired_change <= $until;
DELETE FROM conflict WHERE retired_change <= $until;
DELETE FROM evidence WHERE retired_change <= $until;
DELETE FROM mention WHERE retired_change <= $until;
DELETE FROM entity_value WHERE retired_change <= $until;
DELETE FROM entity_alias WHERE retired_change <= $until AND (entity_id, retired_change) NOT IN (
  SELECT (merged_id, recorded_change) FROM merge WHERE retired_change IS NULL);
DELETE FROM chunk_edge WHERE retired_change <= $until;
DELETE FROM triple WHERE retired_change <= $until
  AND id NOT IN (SELECT triple_id FROM evidence) AND id NOT IN (SELECT triple_id FROM conflict)
  AND id NOT IN (SELECT other_id FROM conflict WHERE other_id IS NOT NULL);
DELETE FROM chunk WHERE retired_change <= $until
  AND id NOT IN (SELECT chunk_id FROM evidence WHERE chunk_id IS NOT NULL) AND id NOT IN (SELECT chunk_id FROM mention)
  AND id NOT IN (SELECT chunk_id FROM entity_value)
  AND id NOT IN (SELECT source_id FROM chunk_edge) AND id NOT IN (SELECT target_id FROM chunk_edge)
  AND id NOT IN (
    SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL AND (retired_change IS NULL OR retired_change > $until));
DELETE FROM document WHERE retired_change <= $until AND id NOT IN (SELECT document_id FROM chunk)
  AND id NOT IN (SELECT said_in FROM entity_alias WHERE said_in IS NOT NULL)
  AND id NOT IN (SELECT document_id FROM entity_alias WHERE document_id IS NOT NULL);
DELETE FROM entity WHERE retired_change <= $until
  AND id NOT IN (SELECT subject_id FROM triple) AND id NOT IN (SELECT object_id FROM triple)
  AND id NOT IN (SELECT entity_id FROM mention) AND id NOT IN (SELECT entity_id FROM entity_alias)
  AND id NOT IN (SELECT entity_id FROM entity_value)
  AND id NOT IN (SELECT entity_id FROM distinct_pair) AND id NOT IN (SELECT other_id FROM distinct_pair)
  AND id NOT IN (SELECT kept_id FROM merge) AND id NOT IN (SELECT merged_id FROM merge)
  AND id NOT IN (SELECT entity_id FROM community_member);
DELETE FROM extraction WHERE chunk_id NOT IN (SELECT id FROM chunk);
DELETE FROM posting WHERE chunk_id NOT IN (SELECT id FROM chunk);
DELETE FROM chunk_length WHERE chunk_id NOT IN (SELECT id FROM chunk);
DELETE FROM term WHERE id NOT IN (SELECT term_id FROM posting)

-- all_rows
-- How many rows the tables of the graph hold, retired ones too.
STANDARD SELECT (SELECT count(*) FROM document) + (SELECT count(*) FROM chunk) + (SELECT count(*) FROM chunk_edge)
  + (SELECT count(*) FROM entity) + (SELECT count(*) FROM entity_alias) + (SELECT count(*) FROM mention)
  + (SELECT count(*) FROM entity_value) + (SELECT count(*) FROM triple) + (SELECT count(*) FROM evidence) + (SELECT count(*) FROM conflict)
  + (SELECT count(*) FROM distinct_pair) + (SELECT count(*) FROM ontology) + (SELECT count(*) FROM past) AS found
