-- list_documents
-- Documents in force, with what each supports; oldest first.
WITH page AS (
  SELECT * FROM document WHERE retired_change IS NULL AND id > $after ORDER BY id LIMIT $limit),
pieces AS (SELECT c.id, c.document_id FROM chunk c WHERE c.document_id IN (SELECT id FROM page) AND c.retired_change IS NULL),
supported AS (
  SELECT DISTINCT p.document_id, v.triple_id
  FROM evidence v JOIN pieces p ON p.id = v.chunk_id WHERE v.retired_change IS NULL),
supporters AS (
  SELECT v.triple_id, count(DISTINCT coalesce(c.document_id, -v.id)) AS supporters
  FROM evidence v LEFT JOIN chunk c ON c.id = v.chunk_id
  WHERE v.retired_change IS NULL AND v.triple_id IN (SELECT triple_id FROM supported)
  GROUP BY v.triple_id)
SELECT d.id, d.uri, d.title, d.source, d.media_type, d.metadata, d.sha256, d.length, d.recorded_at, d.retired_at,
       (SELECT count(*) FROM pieces p WHERE p.document_id = d.id) AS chunks,
       (SELECT count(DISTINCT m.entity_id) FROM mention m JOIN pieces p ON p.id = m.chunk_id
        WHERE p.document_id = d.id AND m.retired_change IS NULL) AS entities,
       (SELECT count(*) FROM supported s WHERE s.document_id = d.id) AS triples,
       (SELECT count(*) FROM supported s JOIN supporters o ON o.triple_id = s.triple_id
        WHERE s.document_id = d.id AND o.supporters = 1) AS alone
FROM page d ORDER BY d.id

-- documents_titled
-- Documents in force under a title, whatever its case.
SELECT id FROM document WHERE retired_change IS NULL AND lower(title) = lower($title) ORDER BY id

-- touched_by_document
-- Entities that a document mentions or says something of.
SELECT entity_id FROM mention WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chunk WHERE document_id = $id)
UNION
SELECT unnest([t.subject_id, t.object_id]) FROM triple t
WHERE t.id IN (SELECT triple_id FROM evidence
               WHERE retired_change IS NULL AND chunk_id IN (SELECT id FROM chunk WHERE document_id = $id))
UNION
SELECT entity_id FROM entity_alias WHERE retired_change IS NULL AND said_in = $id

-- triples_of_entity
-- The triples in force that name an entity.
SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $id OR object_id = $id) ORDER BY id

-- retire_triples
-- Triples out of force, from the offered ids.
UPDATE triple SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND id IN (SELECT id FROM removed)

-- retire_evidence_of_triples
-- With them goes what supported them.
UPDATE evidence SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND triple_id IN (SELECT id FROM removed)

-- ends_of_triples
-- The entities that triples name.
SELECT DISTINCT unnest([subject_id, object_id]) FROM triple WHERE id IN (SELECT id FROM removed)

-- retire_entity
-- An entity out of force.
UPDATE entity SET retired_at = $now, retired_change = $change WHERE id = $id AND retired_change IS NULL

-- retire_mentions_of_entity
-- It is no longer mentioned.
UPDATE mention SET retired_change = $change WHERE retired_change IS NULL AND entity_id = $id

-- retire_names_of_entity
-- Its names.
UPDATE entity_alias SET retired_at = $now, retired_change = $change WHERE retired_change IS NULL AND entity_id = $id

-- touched_by_purged
-- Entities that any version of the document mentions or says something of.
SELECT entity_id FROM mention WHERE chunk_id IN (SELECT id FROM chunk WHERE document_id IN (FROM purged_document))
UNION
SELECT unnest([t.subject_id, t.object_id]) FROM triple t
WHERE t.id IN (SELECT triple_id FROM evidence
               WHERE chunk_id IN (SELECT id FROM chunk WHERE document_id IN (FROM purged_document)))
UNION
SELECT entity_id FROM entity_alias WHERE said_in IN (FROM purged_document)

-- mark_purged_documents
-- Every version of a document, to be removed for good.
CREATE OR REPLACE TEMP TABLE purged_document AS SELECT id FROM document WHERE uri = $uri

-- purge_documents
-- Everything that a document's text left behind: its chunks, what was read from them and derived of them.
CREATE OR REPLACE TEMP TABLE purged_chunk AS
SELECT id FROM chunk WHERE document_id IN (FROM purged_document);
DELETE FROM posting WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM chunk_length WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM extraction WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM mention WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'evidence' AND id IN (SELECT id FROM evidence WHERE chunk_id IN (FROM purged_chunk));
CREATE OR REPLACE TEMP TABLE purged_triple AS
SELECT DISTINCT triple_id AS id FROM evidence WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM evidence WHERE chunk_id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'chunk_edge' AND id IN (
  SELECT id FROM chunk_edge WHERE source_id IN (FROM purged_chunk) OR target_id IN (FROM purged_chunk));
DELETE FROM chunk_edge WHERE source_id IN (FROM purged_chunk) OR target_id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'chunk' AND id IN (FROM purged_chunk);
DELETE FROM chunk WHERE id IN (FROM purged_chunk);
DELETE FROM past WHERE kind = 'document' AND id IN (FROM purged_document);
DELETE FROM document WHERE id IN (FROM purged_document);
DELETE FROM entity_alias WHERE retired_change IS NOT NULL
  AND (said_in IN (FROM purged_document) OR document_id IN (FROM purged_document));
DELETE FROM term WHERE id NOT IN (SELECT term_id FROM posting);
DELETE FROM purged_triple WHERE id IN (SELECT triple_id FROM evidence WHERE extractor <> 'outcome')

-- purge_embeddings
-- The vectors of purged chunks.
DELETE FROM chunk_embedding WHERE chunk_id NOT IN (SELECT id FROM chunk)

-- mark_purged_triples
-- Triples to remove for good, from the offered ids.
CREATE OR REPLACE TEMP TABLE purged_triple AS SELECT id FROM removed

-- purge_triples
-- Triples for good, with what supported them and what was found to contradict them.
DELETE FROM evidence WHERE triple_id IN (FROM purged_triple);
DELETE FROM conflict WHERE triple_id IN (FROM purged_triple) OR other_id IN (FROM purged_triple);
DELETE FROM past WHERE kind = 'triple' AND id IN (FROM purged_triple);
DELETE FROM triple WHERE id IN (FROM purged_triple)

-- same_triples
-- Every row, in force or not, that says the same as the offered ones.
SELECT DISTINCT o.id
FROM triple o
JOIN triple t ON t.subject_id = o.subject_id AND t.predicate_id = o.predicate_id AND t.object_id = o.object_id
WHERE t.id IN (SELECT id FROM removed)

-- triples_ever_of
-- Every triple, in force or not, that names one of the offered entities.
SELECT id FROM triple
WHERE subject_id IN (SELECT id FROM candidate) OR object_id IN (SELECT id FROM candidate)

-- purge_entities
-- Entities for good: of the offered those that are out of force and that no triple or mention is left of.
CREATE OR REPLACE TEMP TABLE purged_entity AS
SELECT id FROM entity WHERE retired_change IS NOT NULL AND id IN (SELECT id FROM candidate)
  AND id NOT IN (SELECT subject_id FROM triple) AND id NOT IN (SELECT object_id FROM triple)
  AND id NOT IN (SELECT entity_id FROM mention);
DELETE FROM entity_alias WHERE entity_id IN (FROM purged_entity);
DELETE FROM merge WHERE kept_id IN (FROM purged_entity) OR merged_id IN (FROM purged_entity);
DELETE FROM distinct_pair WHERE entity_id IN (FROM purged_entity) OR other_id IN (FROM purged_entity);
DELETE FROM past WHERE kind = 'entity' AND id IN (FROM purged_entity);
DELETE FROM entity WHERE id IN (FROM purged_entity)

-- purge_mentions_of
-- The mentions of the offered entities, for good.
DELETE FROM mention WHERE entity_id IN (SELECT id FROM candidate)

-- purge_entity_embeddings
-- The vectors of purged entities.
DELETE FROM entity_embedding WHERE entity_id NOT IN (SELECT id FROM entity)
