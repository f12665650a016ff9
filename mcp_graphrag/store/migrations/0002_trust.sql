-- Ontologies, conflicts, merges, and what is needed to undo every change and to read the past: rows are retired, never
-- overwritten. `past` keeps earlier intervals of rows that were restored or updated.

CREATE SEQUENCE conflict_id;
CREATE SEQUENCE merge_id;

-- The name and type that the extractor found: from these an entity gets its name and type when the document that gave
-- them is retired.
ALTER TABLE mention ADD COLUMN name VARCHAR;
ALTER TABLE mention ADD COLUMN type VARCHAR;
ALTER TABLE mention ADD COLUMN retired_change BIGINT;

-- The names that the text uses, where they are not the entity's own: by them triples are divided when entities are split.
ALTER TABLE evidence ADD COLUMN subject_name VARCHAR;
ALTER TABLE evidence ADD COLUMN object_name VARCHAR;

-- The properties given with this evidence: a triple has those of its oldest evidence that has some.
ALTER TABLE evidence ADD COLUMN properties JSON;

-- The document that the name comes from, NULL for a caller.
ALTER TABLE entity_alias ADD COLUMN said_in BIGINT;

CREATE TABLE past (
  kind VARCHAR NOT NULL,
  id BIGINT NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP NOT NULL,
  retired_change BIGINT NOT NULL,
  was JSON
);

CREATE TABLE undone (
  change_id BIGINT PRIMARY KEY,
  by_change BIGINT NOT NULL
);

CREATE TABLE ontology (
  name VARCHAR NOT NULL,
  body JSON NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE conflict (
  id BIGINT PRIMARY KEY,
  kind VARCHAR NOT NULL,
  triple_id BIGINT NOT NULL,
  other_id BIGINT,
  detail VARCHAR NOT NULL,
  verdict VARCHAR,
  reason VARCHAR,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE TABLE merge (
  id BIGINT PRIMARY KEY,
  kept_id BIGINT NOT NULL,
  merged_id BIGINT NOT NULL,
  reason VARCHAR NOT NULL,
  score FLOAT,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

-- Pairs of entities marked as distinct; never suggested again. The lower id comes first.
CREATE TABLE distinct_pair (
  entity_id BIGINT NOT NULL,
  other_id BIGINT NOT NULL,
  reason VARCHAR NOT NULL,
  recorded_at TIMESTAMP NOT NULL,
  recorded_change BIGINT NOT NULL,
  retired_at TIMESTAMP,
  retired_change BIGINT
);

CREATE VIEW conflicts AS
SELECT k.id, k.kind, s.name || ' ' || p.name || ' ' || o.name AS triple,
       os.name || ' ' || op.name || ' ' || oo.name AS other, k.detail, k.verdict, k.reason, k.recorded_at
FROM conflict k
JOIN triple t ON t.id = k.triple_id
JOIN entity s ON s.id = t.subject_id
JOIN predicate p ON p.id = t.predicate_id
JOIN entity o ON o.id = t.object_id
LEFT JOIN triple ot ON ot.id = k.other_id
LEFT JOIN entity os ON os.id = ot.subject_id
LEFT JOIN predicate op ON op.id = ot.predicate_id
LEFT JOIN entity oo ON oo.id = ot.object_id
WHERE k.retired_change IS NULL;

CREATE VIEW merges AS
SELECT m.id, k.name AS kept, l.name AS merged, m.reason, m.score, m.recorded_at
FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity l ON l.id = m.merged_id
WHERE m.retired_change IS NULL;

COMMENT ON VIEW conflicts IS 'Triples that contradict each other, both kept; verdict says how it was resolved';
COMMENT ON VIEW merges IS 'Merged entities; `split` takes a merge back';
COMMENT ON TABLE past IS 'Earlier intervals of rows that were restored or updated; was has the earlier values';
COMMENT ON TABLE undone IS 'Changes that an undo has taken back';
COMMENT ON TABLE ontology IS 'Ontologies that users added, beside those that ship';
COMMENT ON TABLE conflict IS 'Contradictions found when a triple was stored; active until their triples are retired';
COMMENT ON TABLE merge IS 'Log of merged entities; retired by a split';
COMMENT ON TABLE distinct_pair IS 'Pairs of entities marked as distinct; never suggested for a merge';
