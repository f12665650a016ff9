-- begin_merge
-- The triples of the merged entity with their images: what they say with the kept one in its place, NULL between the two.
CREATE OR REPLACE TEMP TABLE moved AS
SELECT m.*, CASE WHEN m.between_them THEN NULL ELSE coalesce(t.id, nextval('triple_id')) END AS image_id,
       t.id IS NULL AND NOT m.between_them AS is_new
FROM (
  SELECT id, if(subject_id = $merged, $kept, subject_id) AS subject_id, predicate_id,
         if(object_id = $merged, $kept, object_id) AS object_id, confidence, valid_from, valid_to, properties,
         subject_id = $merged AS as_subject, object_id = $merged AS as_object,
         subject_id = $kept OR object_id = $kept AS between_them
  FROM triple WHERE retired_change IS NULL AND (subject_id = $merged OR object_id = $merged)) m
LEFT JOIN (SELECT * FROM triple WHERE retired_change IS NULL AND (subject_id = $kept OR object_id = $kept)) t
  ON t.subject_id = m.subject_id AND t.predicate_id = m.predicate_id AND t.object_id = m.object_id
 AND t.valid_from IS NOT DISTINCT FROM m.valid_from AND t.valid_to IS NOT DISTINCT FROM m.valid_to

-- add_images
-- Images that the kept entity did not have yet.
INSERT INTO triple
SELECT image_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties, $now, $change,
       NULL, NULL
FROM moved WHERE is_new

-- move_evidence
-- The evidence of moved triples once more, for their images, with the name that was said; the same again is left out.
INSERT INTO evidence
SELECT nextval('evidence_id'), m.image_id, e.chunk_id, e.start_offset, e.end_offset, e.quote, e.extractor,
       e.confidence, e.surface, e.source, $now, $change, NULL, NULL,
       if(m.as_subject, coalesce(e.subject_name, $name), e.subject_name),
       if(m.as_object, coalesce(e.object_name, $name), e.object_name), e.properties
FROM evidence e JOIN moved m ON m.id = e.triple_id
WHERE e.retired_change IS NULL AND m.image_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM evidence v
  WHERE v.triple_id = m.image_id AND v.retired_change IS NULL AND v.extractor = e.extractor
    AND v.chunk_id IS NOT DISTINCT FROM e.chunk_id AND v.start_offset IS NOT DISTINCT FROM e.start_offset
    AND v.end_offset IS NOT DISTINCT FROM e.end_offset AND v.quote IS NOT DISTINCT FROM e.quote
    AND v.source IS NOT DISTINCT FROM e.source AND v.confidence >= e.confidence)

-- move_conflicts
-- Conflicts of moved triples once more, between the images, where those still are two.
INSERT INTO conflict
SELECT nextval('conflict_id'), c.kind, c.triple_id, c.other_id, c.detail, c.verdict, c.reason, $now, $change, NULL, NULL
FROM (
  SELECT c.* REPLACE (if(a.id IS NULL, c.triple_id, a.image_id) AS triple_id,
                      if(b.id IS NULL, c.other_id, b.image_id) AS other_id),
         c.other_id IS NULL AS alone
  FROM conflict c LEFT JOIN moved a ON a.id = c.triple_id LEFT JOIN moved b ON b.id = c.other_id
  WHERE c.retired_change IS NULL AND (a.id IS NOT NULL OR b.id IS NOT NULL)) c
WHERE c.triple_id IS NOT NULL AND (c.alone OR c.other_id <> c.triple_id) AND NOT EXISTS (
  SELECT 1 FROM conflict k
  WHERE k.retired_change IS NULL AND k.kind = c.kind
    AND k.triple_id IN (c.triple_id, c.other_id) AND k.other_id IS NOT DISTINCT FROM
        if(k.triple_id = c.triple_id, c.other_id, c.triple_id))

-- retire_moved_conflicts
-- Conflicts of triples that have moved.
UPDATE conflict SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND (triple_id IN (SELECT id FROM moved) OR other_id IN (SELECT id FROM moved))

-- retire_moved_evidence
-- The evidence of moved triples where it was.
UPDATE evidence SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND triple_id IN (SELECT id FROM moved)

-- retire_moved
-- The moved triples themselves.
UPDATE triple SET retired_at = $now, retired_change = $change WHERE id IN (SELECT id FROM moved)

-- moved_counts
-- How many triples have moved, and how many stood between the two.
SELECT count(*) FILTER (NOT between_them), count(*) FILTER (between_them) FROM moved

-- known_images
-- Triples of the kept entity that have gained evidence.
SELECT image_id AS id FROM moved WHERE NOT is_new AND image_id IS NOT NULL

-- move_aliases
-- The names of the merged entity once more, for the kept one, where it does not bear them yet.
INSERT INTO entity_alias
SELECT $kept, a.name, a.norm, 'merge', a.document_id, $now, $change, NULL, NULL, a.said_in
FROM (SELECT DISTINCT ON (norm, document_id, said_in) * FROM entity_alias
      WHERE entity_id = $merged AND retired_change IS NULL) a
WHERE NOT EXISTS (
  SELECT 1 FROM entity_alias k
  WHERE k.entity_id = $kept AND k.retired_change IS NULL AND k.norm = a.norm
    AND k.document_id IS NOT DISTINCT FROM a.document_id AND k.said_in IS NOT DISTINCT FROM a.said_in)

-- retire_aliases
-- The names of an entity that goes.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = $merged

-- move_mentions
-- The mentions of the merged entity once more, for the kept one, with the name that was said.
INSERT INTO mention
SELECT chunk_id, $kept, start_offset, end_offset, extractor, $change, coalesce(name, $name), type, NULL
FROM mention WHERE entity_id = $merged AND retired_change IS NULL

-- retire_merged_mentions
-- The mentions of an entity that goes.
UPDATE mention SET retired_change = $change
WHERE retired_change IS NULL AND entity_id = $merged AND recorded_change <> $change

-- move_pairs
-- What was known to be another thing than the merged entity is another thing than the kept one.
INSERT INTO distinct_pair
SELECT least($kept, x.other), greatest($kept, x.other), any_value(x.reason), $now, $change, NULL, NULL
FROM (
  SELECT if(entity_id = $merged, other_id, entity_id) AS other, reason FROM distinct_pair
  WHERE retired_change IS NULL AND (entity_id = $merged OR other_id = $merged)) x
WHERE x.other <> $kept AND NOT EXISTS (
  SELECT 1 FROM distinct_pair d
  WHERE d.retired_change IS NULL AND d.entity_id = least($kept, x.other) AND d.other_id = greatest($kept, x.other))
GROUP BY x.other

-- retire_pairs
-- What was said of an entity that goes.
UPDATE distinct_pair SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND (entity_id = $merged OR other_id = $merged)

-- retire_merged
-- The merged entity itself.
UPDATE entity SET retired_at = $now, retired_change = $change WHERE id = $merged

-- add_merge
-- The log of it.
INSERT INTO merge SELECT nextval('merge_id'), $kept, $merged, $reason, $score, $now, $change, NULL, NULL

-- merges_in_force
-- Merges that were not taken back, with the names that the merged entity gave up, the newest first.
SELECT m.id, m.kept_id, m.merged_id, m.reason, m.score, m.recorded_at, m.recorded_change, k.name, l.name, l.type,
       k.retired_change IS NOT NULL
FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity l ON l.id = m.merged_id
WHERE m.retired_change IS NULL ORDER BY m.id DESC

-- names_given_up
-- The names that an entity bore when it was merged.
SELECT DISTINCT name, norm FROM entity_alias WHERE entity_id = $merged AND retired_change = $was

-- merges_of_name
-- The merges in force of entities that bore a normal form.
SELECT DISTINCT m.id FROM merge m JOIN entity_alias a ON a.entity_id = m.merged_id AND a.retired_change = m.recorded_change
WHERE m.retired_change IS NULL AND a.norm = $norm

-- norms_of_its_own
-- The normal forms that an entity bears by itself, not by a merge.
SELECT DISTINCT norm FROM entity_alias WHERE entity_id = $kept AND retired_change IS NULL AND origin <> 'merge'

-- begin_split
-- The triples that a merge has retired, each with its image where that is in force.
CREATE OR REPLACE TEMP TABLE parted AS
SELECT r.id, r.between_them, t.id AS image_id
FROM (
  SELECT id, if(subject_id = $merged, $kept, subject_id) AS subject_id, predicate_id,
         if(object_id = $merged, $kept, object_id) AS object_id, valid_from, valid_to,
         subject_id = $kept OR object_id = $kept AS between_them
  FROM triple WHERE retired_change = $was AND (subject_id = $merged OR object_id = $merged)) r
LEFT JOIN (SELECT * FROM triple WHERE retired_change IS NULL AND (subject_id = $kept OR object_id = $kept)) t
  ON NOT r.between_them
 AND t.subject_id = r.subject_id AND t.predicate_id = r.predicate_id AND t.object_id = r.object_id
 AND t.valid_from IS NOT DISTINCT FROM r.valid_from AND t.valid_to IS NOT DISTINCT FROM r.valid_to

-- parted_evidence
-- Their evidence that still holds: the image has it still, or its chunk is in force.
CREATE OR REPLACE TEMP TABLE parted_evidence AS
SELECT e.id, e.triple_id
FROM evidence e JOIN parted p ON p.id = e.triple_id
WHERE e.retired_change = $was AND (
  (p.between_them AND (e.chunk_id IS NULL OR e.chunk_id IN (SELECT id FROM chunk WHERE retired_change IS NULL)))
  OR EXISTS (
    SELECT 1 FROM evidence v
    WHERE v.triple_id = p.image_id AND v.retired_change IS NULL AND v.extractor = e.extractor
      AND v.chunk_id IS NOT DISTINCT FROM e.chunk_id AND v.start_offset IS NOT DISTINCT FROM e.start_offset
      AND v.end_offset IS NOT DISTINCT FROM e.end_offset AND v.quote IS NOT DISTINCT FROM e.quote
      AND v.source IS NOT DISTINCT FROM e.source))

-- departing_evidence
-- The evidence that the merge wrote, which goes.
CREATE OR REPLACE TEMP TABLE departing AS
SELECT id, triple_id FROM evidence
WHERE retired_change IS NULL
  AND triple_id IN (SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $kept OR object_id = $kept))
  AND (recorded_change = $was OR id IN (SELECT id FROM past WHERE kind = 'evidence' AND recorded_change = $was))

-- said_by_name
-- The rest of the kept entity's evidence that has another name than its own.
SELECT v.id, t.subject_id, t.object_id, v.subject_name, v.object_name
FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.retired_change IS NULL AND t.retired_change IS NULL
  AND ((t.subject_id = $kept AND v.subject_name IS NOT NULL) OR (t.object_id = $kept AND v.object_name IS NOT NULL))
  AND v.id NOT IN (SELECT id FROM departing)

-- parted_triples_return
-- Triples to restore: those of which some evidence holds.
CREATE OR REPLACE TEMP TABLE restored AS SELECT DISTINCT 'triple' AS kind, triple_id AS id FROM parted_evidence

-- parted_evidence_returns
-- Evidence to restore.
CREATE OR REPLACE TEMP TABLE restored AS SELECT 'evidence' AS kind, id FROM parted_evidence

-- parted_entity_returns
-- The entity to restore.
CREATE OR REPLACE TEMP TABLE restored AS SELECT 'entity' AS kind, $merged::BIGINT AS id

-- land_triples
-- Where evidence goes that was said of the merged entity by name since: a triple in force, or a new one.
CREATE OR REPLACE TEMP TABLE landing AS
SELECT l.*, coalesce(t.id, nextval('triple_id')) AS triple_id, t.id IS NULL AS is_new
FROM (
  SELECT i.subject_id, o.predicate_id, i.object_id, o.valid_from, o.valid_to, max(v.confidence) AS confidence,
         arg_min(o.properties, v.id) AS properties
  FROM incoming_leaving i JOIN evidence v ON v.id = i.evidence_id JOIN triple o ON o.id = v.triple_id
  GROUP BY ALL) l
LEFT JOIN (SELECT * FROM triple WHERE retired_change IS NULL AND (subject_id = $merged OR object_id = $merged)) t
  ON t.subject_id = l.subject_id AND t.predicate_id = l.predicate_id AND t.object_id = l.object_id
 AND t.valid_from IS NOT DISTINCT FROM l.valid_from AND t.valid_to IS NOT DISTINCT FROM l.valid_to

-- add_landed
-- The new ones.
INSERT INTO triple
SELECT triple_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties, $now, $change,
       NULL, NULL
FROM landing WHERE is_new

-- land_evidence
-- The evidence there, with names where they are aliases.
INSERT INTO evidence
SELECT nextval('evidence_id'), l.triple_id, v.chunk_id, v.start_offset, v.end_offset, v.quote, v.extractor,
       v.confidence, v.surface, v.source, $now, $change, NULL, NULL, i.subject_name, i.object_name,
       v.properties
FROM incoming_leaving i JOIN evidence v ON v.id = i.evidence_id JOIN triple o ON o.id = v.triple_id
JOIN landing l ON l.subject_id = i.subject_id AND l.predicate_id = o.predicate_id AND l.object_id = i.object_id
 AND l.valid_from IS NOT DISTINCT FROM o.valid_from AND l.valid_to IS NOT DISTINCT FROM o.valid_to

-- retire_left
-- That evidence where it was.
UPDATE evidence SET retired_at = $now, retired_change = $change
WHERE id IN (SELECT evidence_id FROM incoming_leaving)

-- retire_departing
-- The evidence that the merge wrote.
UPDATE evidence SET retired_at = $now, retired_change = $change WHERE id IN (SELECT id FROM departing)

-- return_aliases
-- The names that the merge took, as fresh rows, unless what taught them has gone since.
INSERT INTO entity_alias
SELECT a.entity_id, a.name, a.norm, a.origin, a.document_id, $now, $change, NULL, NULL, a.said_in
FROM entity_alias a
WHERE a.entity_id = $merged AND a.retired_change = $was AND (a.origin = 'name' OR EXISTS (
  SELECT 1 FROM entity_alias k
  WHERE k.entity_id = $kept AND k.retired_change IS NULL AND k.norm = a.norm
    AND k.document_id IS NOT DISTINCT FROM a.document_id AND k.said_in IS NOT DISTINCT FROM a.said_in))

-- retire_given_aliases
-- The names that the merge gave.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE entity_id = $kept AND retired_change IS NULL AND origin = 'merge'
  AND (norm, coalesce(document_id, -1), coalesce(said_in, -1)) IN (
    SELECT (norm, coalesce(document_id, -1), coalesce(said_in, -1)) FROM entity_alias
    WHERE entity_id = $merged AND retired_change = $was)

-- mention_names
-- What the kept entity's mentions call it.
SELECT DISTINCT name FROM mention WHERE entity_id = $kept AND retired_change IS NULL AND name IS NOT NULL

-- return_mentions
-- The mentions that the merge moved, and those since of the merged entity's names, as fresh rows.
INSERT INTO mention
SELECT chunk_id, $merged, start_offset, end_offset, extractor, $change, name, type, NULL
FROM mention
WHERE entity_id = $kept AND retired_change IS NULL
  AND (recorded_change = $was OR list_contains($names::JSON::VARCHAR[], name))

-- retire_given_mentions
-- The same where they were.
UPDATE mention SET retired_change = $change
WHERE entity_id = $kept AND retired_change IS NULL
  AND (recorded_change = $was OR list_contains($names::JSON::VARCHAR[], name))

-- return_pairs
-- What was known to be another thing than the merged entity, as fresh rows.
INSERT INTO distinct_pair
SELECT entity_id, other_id, reason, $now, $change, NULL, NULL FROM distinct_pair
WHERE retired_change = $was AND (entity_id = $merged OR other_id = $merged)

-- retire_given_pairs
-- What the merge said of the kept entity for that.
UPDATE distinct_pair SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND recorded_change = $was AND (entity_id = $kept OR other_id = $kept)

-- return_conflicts
-- Conflicts that the merge retired, between triples that are in force again, with the verdict since.
INSERT INTO conflict
SELECT nextval('conflict_id'), c.kind, c.triple_id, c.other_id, c.detail, coalesce(i.verdict, c.verdict),
       coalesce(i.reason, c.reason), $now, $change, NULL, NULL
FROM conflict c
LEFT JOIN parted a ON a.id = c.triple_id
LEFT JOIN parted b ON b.id = c.other_id
LEFT JOIN conflict i ON i.retired_change IS NULL AND i.kind = c.kind
  AND i.triple_id = if(a.id IS NULL, c.triple_id, a.image_id)
  AND i.other_id IS NOT DISTINCT FROM if(b.id IS NULL, c.other_id, b.image_id)
WHERE c.retired_change = $was AND (a.id IS NOT NULL OR b.id IS NOT NULL)
  AND c.triple_id IN (SELECT id FROM triple WHERE retired_change IS NULL)
  AND (c.other_id IS NULL OR c.other_id IN (SELECT id FROM triple WHERE retired_change IS NULL))

-- turn_conflicts
-- Conflicts found since with an image that is no longer in force, between the triples that are.
INSERT INTO conflict
SELECT nextval('conflict_id'), c.kind, coalesce(a.id, c.triple_id), coalesce(b.id, c.other_id), c.detail, c.verdict,
       c.reason, $now, $change, NULL, NULL
FROM conflict c
LEFT JOIN parted a ON a.image_id = c.triple_id AND a.id IN (SELECT triple_id FROM parted_evidence)
LEFT JOIN parted b ON b.image_id = c.other_id AND b.id IN (SELECT triple_id FROM parted_evidence)
WHERE c.retired_change IS NULL AND c.recorded_change NOT IN ($was, $change)
  AND (c.triple_id IN (SELECT id FROM triple WHERE retired_change = $change)
       OR c.other_id IN (SELECT id FROM triple WHERE retired_change = $change))
  AND (a.id IS NOT NULL OR b.id IS NOT NULL)

-- retire_given_conflicts
-- Conflicts that the merge wrote, or of triples that went with it.
UPDATE conflict SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND recorded_change <> $change AND (
  recorded_change = $was
  OR triple_id IN (SELECT id FROM triple WHERE retired_change = $change)
  OR other_id IN (SELECT id FROM triple WHERE retired_change = $change))

-- words_before_merge
-- The type that the kept entity had before a merge gave it another.
SELECT was->>'$.type', was->>'$.type_extractor' FROM past
WHERE kind = 'entity' AND id = $kept AND retired_change = $was AND was IS NOT NULL

-- entity_type_now
-- The type that an entity has.
SELECT type, type_extractor FROM entity WHERE id = $id

-- retire_merge
-- The log of it.
UPDATE merge SET retired_at = $now, retired_change = $change WHERE id = $id

-- distinct_reason
-- Why two entities are known to be two things.
SELECT reason FROM distinct_pair
WHERE retired_change IS NULL AND entity_id = least($a, $b) AND other_id = greatest($a, $b)

-- add_pair
-- Two entities that are two things.
INSERT INTO distinct_pair VALUES (least($a, $b), greatest($a, $b), $reason, $now, $change, NULL, NULL)

-- retire_pair
-- Two entities of which that is no longer said.
UPDATE distinct_pair SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = least($a, $b) AND other_id = greatest($a, $b)

-- triples_of
-- How many triples in force name an entity.
SELECT count(*) FROM triple WHERE retired_change IS NULL AND (subject_id = $id OR object_id = $id)
