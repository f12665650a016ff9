-- Edges between chunks, and communities of entities with their summaries.

CREATE SEQUENCE chunk_edge_id;
CREATE SEQUENCE community_id;

CREATE TABLE chunk_edge (
  id BIGINT PRIMARY KEY,
  source_id BIGINT NOT NULL,
  target_id BIGINT NOT NULL,
  relation VARCHAR NOT NULL,
  weight FLOAT NOT NULL,
  description VARCHAR NOT NULL,
  extractor VARCHAR NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

-- Derived, like postings: replaced when rebuilt. `members_sha256` tells whether the members of a community have changed.
CREATE TABLE community (
  id BIGINT PRIMARY KEY,
  level INTEGER NOT NULL,
  parent_id BIGINT,
  title VARCHAR NOT NULL,
  summary VARCHAR NOT NULL,
  summarised_by VARCHAR NOT NULL,
  size INTEGER NOT NULL,
  citations VARCHAR[] NOT NULL,
  members_sha256 VARCHAR NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL
);

CREATE TABLE community_member (
  community_id BIGINT NOT NULL,
  entity_id BIGINT NOT NULL,
  rank FLOAT NOT NULL
);

CREATE VIEW chunk_edges AS
SELECT e.id, s.citation AS source, t.citation AS target, e.relation, round(e.weight::DOUBLE, 3) AS weight, e.description,
       e.extractor, e.recorded_at
FROM chunk_edge e JOIN chunks s ON s.id = e.source_id JOIN chunks t ON t.id = e.target_id
WHERE e.retired_change IS NULL;

COMMENT ON VIEW chunk_edges IS 'Chunk to chunk by citation: relation, weight, description and extractor';
CREATE VIEW communities AS
SELECT c.id, c.level, c.parent_id, c.title, c.summary, c.summarised_by, c.size, m.members, c.citations, c.recorded_at
FROM community c
LEFT JOIN (
  SELECT m.community_id, list(e.name ORDER BY m.rank DESC, e.name) AS members
  FROM community_member m JOIN entity e ON e.id = m.entity_id
  GROUP BY m.community_id
) m ON m.community_id = c.id
ORDER BY c.level, c.size DESC, c.id;

COMMENT ON VIEW communities IS 'Clusters of entities, the broadest level first, with summaries; `mcp-graphrag communities` rebuilds them';
COMMENT ON TABLE chunk_edge IS 'Chunk to chunk: one of eight relations, weight in (0, 1], description and extractor';
COMMENT ON TABLE community IS 'Derived: clusters of entities by level (0 is the broadest), each with title and summary';
COMMENT ON TABLE community_member IS 'Derived: the entities of each community; rank says how central each is';
