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
DELETE FROM entity_alias WHERE retired_change <= $until AND (entity_id, retired_change) NOT IN (
  SELECT (merged_id, recorded_change) FROM merge WHERE retired_change IS NULL);
DELETE FROM chunk_edge WHERE retired_change <= $until;
DELETE FROM triple WHERE retired_change <= $until
  AND id NOT IN (SELECT triple_id FROM evidence) AND id NOT IN (SELECT triple_id FROM conflict)
  AND id NOT IN (SELECT other_id FROM conflict WHERE other_id IS NOT NULL);
DELETE FROM chunk WHERE retired_change <= $until
  AND id NOT IN (SELECT chunk_id FROM evidence WHERE chunk_id IS NOT NULL) AND id NOT IN (SELECT chunk_id FROM mention)
  AND id NOT IN (SELECT source_id FROM chunk_edge) AND id NOT IN (SELECT target_id FROM chunk_edge)
  AND id NOT IN (
    SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL AND (retired_change IS NULL OR retired_change > $until));
DELETE FROM document WHERE retired_change <= $until AND id NOT IN (SELECT document_id FROM chunk)
  AND id NOT IN (SELECT said_in FROM entity_alias WHERE said_in IS NOT NULL)
  AND id NOT IN (SELECT document_id FROM entity_alias WHERE document_id IS NOT NULL);
DELETE FROM entity WHERE retired_change <= $until
  AND id NOT IN (SELECT subject_id FROM triple) AND id NOT IN (SELECT object_id FROM triple)
  AND id NOT IN (SELECT entity_id FROM mention) AND id NOT IN (SELECT entity_id FROM entity_alias)
  AND id NOT IN (SELECT entity_id FROM distinct_pair) AND id NOT IN (SELECT other_id FROM distinct_pair)
  AND id NOT IN (SELECT kept_id FROM merge) AND id NOT IN (SELECT merged_id FROM merge)
  AND id NOT IN (SELECT entity_id FROM community_member);
DELETE FROM extraction WHERE chunk_id NOT IN (SELECT id FROM chunk);
DELETE FROM posting WHERE chunk_id NOT IN (SELECT id FROM chunk);
DELETE FROM chunk_length WHERE chunk_id NOT IN (SELECT id FROM chunk);
DELETE FROM term WHERE id NOT IN (SELECT term_id FROM posting)

-- all_rows
-- How many rows the tables of the graph hold, retired ones too.
SELECT (SELECT count(*) FROM document) + (SELECT count(*) FROM chunk) + (SELECT count(*) FROM chunk_edge)
  + (SELECT count(*) FROM entity) + (SELECT count(*) FROM entity_alias) + (SELECT count(*) FROM mention)
  + (SELECT count(*) FROM triple) + (SELECT count(*) FROM evidence) + (SELECT count(*) FROM conflict)
  + (SELECT count(*) FROM distinct_pair) + (SELECT count(*) FROM ontology) + (SELECT count(*) FROM past)
