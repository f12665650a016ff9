-- changed_since_communities
-- Whether anything that communities are built from was recorded or retired since.
SELECT coalesce(bool_or(changed), false) FROM (
  SELECT bool_or(recorded_change > $since OR retired_change > $since) AS changed FROM triple
  UNION ALL SELECT bool_or(recorded_change > $since OR retired_change > $since) FROM mention
  UNION ALL SELECT bool_or(recorded_change > $since OR retired_change > $since) FROM entity
  UNION ALL SELECT bool_or(retired_change > $since) FROM chunk)

-- community_entities
-- The active entities but phrases in an order that is the same in every file.
SELECT id, name, type FROM entity e WHERE retired_change IS NULL AND NOT is_phrase(e) ORDER BY norm, type, name, id

-- cooccurrences
-- Entities that are mentioned in the same chunk; each chunk gives each of its entities the same weight to share.
WITH mentioned AS (
  SELECT DISTINCT chunk_id, entity_id FROM mention WHERE retired_change IS NULL),
small AS (
  SELECT chunk_id, count(*) AS size FROM mentioned GROUP BY chunk_id HAVING count(*) BETWEEN 2 AND $max_entities)
SELECT a.entity_id AS first_id, b.entity_id AS second_id, sum($unit::BIGINT // (f.size - 1))::BIGINT AS weight
FROM small f
JOIN mentioned a ON a.chunk_id = f.chunk_id
JOIN mentioned b ON b.chunk_id = f.chunk_id AND a.entity_id < b.entity_id
GROUP BY a.entity_id, b.entity_id

-- mention_positions
-- Which chunk mentions which entity where, in document order, which is the same in every file.
SELECT m.chunk_id, m.entity_id, m.start_offset, m.end_offset
FROM mention m JOIN chunk c ON c.id = m.chunk_id JOIN document d ON d.id = c.document_id
WHERE m.retired_change IS NULL AND c.retired_change IS NULL
ORDER BY d.uri, c.start_offset, c.end_offset DESC, m.start_offset, m.end_offset, m.entity_id

-- count_mentions
-- How many mentions there are.
SELECT count(*) FROM mention WHERE retired_change IS NULL

-- chunks_of_members
-- The chunks that mention any of the entities, or are evidence for a triple of theirs.
SELECT chunk_id, entity_id FROM mention
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM incoming_id)
UNION
SELECT v.chunk_id, t.subject_id FROM triple t JOIN evidence v ON v.triple_id = t.id
WHERE t.retired_change IS NULL AND v.retired_change IS NULL AND v.chunk_id IS NOT NULL
  AND t.subject_id IN (SELECT id FROM incoming_id)
UNION
SELECT v.chunk_id, t.object_id FROM triple t JOIN evidence v ON v.triple_id = t.id
WHERE t.retired_change IS NULL AND v.retired_change IS NULL AND v.chunk_id IS NOT NULL
  AND t.object_id IN (SELECT id FROM incoming_id)
ORDER BY ALL

-- stored_communities
-- Every stored community.
SELECT id, level, parent_id, title, summary, summarised_by, citations, members_sha256
FROM community ORDER BY level, size DESC, id

-- stored_members
-- The members of every community, the most central first.
SELECT community_id, entity_id, rank FROM community_member ORDER BY community_id, rank DESC, entity_id

-- active_citations
-- Which of the citations are of an active chunk.
SELECT DISTINCT i.citation
FROM incoming_citation i
JOIN (SELECT d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation
      FROM chunk c JOIN document d ON d.id = c.document_id
      WHERE c.retired_change IS NULL AND d.retired_change IS NULL) a ON a.citation = i.citation

-- delete_communities
-- Delete the communities that are no longer there.
DELETE FROM community WHERE id NOT IN (SELECT id FROM incoming_community)

-- delete_members
-- Delete the members of deleted communities, and those of communities that get others.
DELETE FROM community_member
WHERE community_id NOT IN (SELECT id FROM community) OR community_id IN (SELECT community_id FROM incoming_member)

-- place_communities
-- Update the level and parent of communities where they differ.
UPDATE community SET level = i.level, parent_id = nullif(i.parent_id, -1)
FROM incoming_community i
WHERE community.id = i.id
  AND (community.level <> i.level OR community.parent_id IS DISTINCT FROM nullif(i.parent_id, -1))

-- add_communities
-- Add those that are new; the separator between citations does not occur in one.
INSERT INTO community
SELECT id, level, nullif(parent_id, -1), title, summary, summarised_by, size,
       CASE WHEN citations = '' THEN [] ELSE string_split(citations, chr(31)) END, sha256, $now, $change
FROM incoming_community WHERE id NOT IN (SELECT id FROM community)

-- add_members
-- Add members of communities.
INSERT INTO community_member SELECT community_id, entity_id, rank FROM incoming_member

-- update_summary
-- Update the title and summary of a community whose members are unchanged.
UPDATE community SET title = $title, summary = $summary, summarised_by = $by, recorded_at = $now,
  recorded_change = $change
WHERE id = $id AND members_sha256 = $sha256

-- delete_all_communities
-- Delete every community.
DELETE FROM community_member; DELETE FROM community; DELETE FROM meta WHERE key = 'communities'
