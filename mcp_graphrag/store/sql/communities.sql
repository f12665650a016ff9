-- community_mark
-- The last change that the stored communities know of; every question asks, so it stands here without a parameter.
SELECT value FROM meta WHERE key = 'communities'

-- changed_since_communities
-- Whether anything was recorded or retired since that communities are drawn from.
SELECT coalesce(bool_or(changed), false) FROM (
  SELECT bool_or(recorded_change > $since OR retired_change > $since) AS changed FROM triple
  UNION ALL SELECT bool_or(recorded_change > $since OR retired_change > $since) FROM mention
  UNION ALL SELECT bool_or(recorded_change > $since OR retired_change > $since) FROM entity
  UNION ALL SELECT bool_or(retired_change > $since) FROM chunk)

-- moment_of_change
-- When a change was made.
SELECT recorded_at FROM change WHERE id = $id

-- community_entities
-- The entities in force in an order that is the same in every file.
SELECT id, name, type FROM entity WHERE retired_change IS NULL ORDER BY norm, type, name, id

-- community_pairs
-- Entities that one chunk names together; each chunk of a few entities gives each of them the same weight to share.
WITH named AS (
  SELECT DISTINCT chunk_id, entity_id FROM mention WHERE retired_change IS NULL),
few AS (
  SELECT chunk_id, count(*) AS size FROM named GROUP BY chunk_id HAVING count(*) BETWEEN 2 AND $most)
SELECT a.entity_id AS first_id, b.entity_id AS second_id, sum($unit::BIGINT // (f.size - 1))::BIGINT AS weight
FROM few f
JOIN named a ON a.chunk_id = f.chunk_id
JOIN named b ON b.chunk_id = f.chunk_id AND a.entity_id < b.entity_id
GROUP BY a.entity_id, b.entity_id

-- community_mentions
-- Which chunk names which entity where, in document order, which is the same in every file.
SELECT m.chunk_id, m.entity_id, m.start_offset, m.end_offset
FROM mention m JOIN chunk c ON c.id = m.chunk_id JOIN document d ON d.id = c.document_id
WHERE m.retired_change IS NULL AND c.retired_change IS NULL
ORDER BY d.uri, c.start_offset, c.end_offset DESC, m.start_offset, m.end_offset, m.entity_id

-- count_mentions
-- How many spans name an entity.
SELECT count(*) FROM mention WHERE retired_change IS NULL

-- chunks_of_members
-- The chunks that name an entity of those offered, or support a triple of theirs.
SELECT chunk_id, entity_id FROM mention
WHERE retired_change IS NULL AND entity_id IN (SELECT id FROM asked_member)
UNION
SELECT v.chunk_id, t.subject_id FROM triple t JOIN evidence v ON v.triple_id = t.id
WHERE t.retired_change IS NULL AND v.retired_change IS NULL AND v.chunk_id IS NOT NULL
  AND t.subject_id IN (SELECT id FROM asked_member)
UNION
SELECT v.chunk_id, t.object_id FROM triple t JOIN evidence v ON v.triple_id = t.id
WHERE t.retired_change IS NULL AND v.retired_change IS NULL AND v.chunk_id IS NOT NULL
  AND t.object_id IN (SELECT id FROM asked_member)
ORDER BY ALL

-- stored_communities
-- Every community as it was written.
SELECT id, level, parent_id, title, summary, summarised_by, citations, members_sha256
FROM community ORDER BY level, size DESC, id

-- stored_members
-- The members of every community, the most central first.
SELECT community_id, entity_id, rank FROM community_member ORDER BY community_id, rank DESC, rowid

-- cited_in_force
-- Which of the offered citations stand for a chunk that is in force.
SELECT DISTINCT i.citation
FROM cited i
JOIN (SELECT d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation
      FROM chunk c JOIN document d ON d.id = c.document_id
      WHERE c.retired_change IS NULL AND d.retired_change IS NULL) now ON now.citation = i.citation

-- remove_communities
-- Communities that are no more, from the offered ids.
DELETE FROM community WHERE id IN (SELECT id FROM incoming_community_id)

-- remove_members
-- The members of communities whose members are written anew, from the offered ids.
DELETE FROM community_member WHERE community_id IN (SELECT id FROM incoming_community_id)

-- place_communities
-- Where communities that stay stand now, from the offered columns.
UPDATE community SET level = i.level, parent_id = nullif(i.parent_id, -1)
FROM incoming_place i WHERE community.id = i.id

-- add_communities
-- New communities, from the offered columns; a sign that no citation has stands between citations.
INSERT INTO community
SELECT id, level, nullif(parent_id, -1), title, summary, summarised_by, size,
       CASE WHEN citations = '' THEN [] ELSE string_split(citations, chr(31)) END, members_sha256, $now, $change
FROM incoming_community

-- add_members
-- Members of communities, from the offered columns.
INSERT INTO community_member SELECT community_id, entity_id, rank FROM incoming_member

-- reword_community
-- Another title and summary of a community that is still the same.
UPDATE community SET title = $title, summary = $summary, summarised_by = $by, recorded_at = $now, recorded_change = $change
WHERE id = $id AND members_sha256 = $sha256

-- drop_communities
-- No communities are left: what they quote may be gone for good.
DELETE FROM community_member; DELETE FROM community; DELETE FROM meta WHERE key = 'communities'
