-- moved_triples
-- The active triples of the merged entity, each with its image: the same triple of the kept one, NULL between the two.
SELECT m.*, CASE WHEN m.between_them THEN NULL ELSE coalesce(t.id, nextval('triple_id')) END AS image_id,
       t.id IS NULL AND NOT m.between_them AS is_new
FROM (
  SELECT id, if(subject_id = $merged, $kept, subject_id) AS subject_id, predicate_id,
         if(object_id = $merged, $kept, object_id) AS object_id, confidence, valid_from, valid_to, properties,
         said_until,
         subject_id = $merged AS as_subject, object_id = $merged AS as_object,
         subject_id = $kept OR object_id = $kept AS between_them
  FROM triple WHERE id IN FIRST (
    STANDARD SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $merged OR object_id = $merged))) m
LEFT JOIN (
  SELECT * FROM triple WHERE id IN FIRST (
    STANDARD SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $kept OR object_id = $kept))) t
  ON same_triple(t, m)

-- add_images
-- Add the images that are not stored yet.
INSERT INTO triple
SELECT image_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties, $now, $change,
       NULL, NULL, said_until
FROM moved WHERE is_new

-- copy_evidence_to_images
-- Copy the evidence of moved triples to their images, with the name that was used, unless it is there.
INSERT INTO evidence
SELECT nextval('evidence_id'), m.image_id, e.chunk_id, e.start_offset, e.end_offset, e.quote, e.extractor,
       e.confidence, e.surface, e.source, $now, $change, NULL, NULL,
       if(m.as_subject, coalesce(e.subject_name, $name), e.subject_name),
       if(m.as_object, coalesce(e.object_name, $name), e.object_name), e.properties, e.said_until
FROM evidence e JOIN moved m ON m.id = e.triple_id
WHERE e.retired_change IS NULL AND m.image_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM evidence v
  WHERE v.triple_id = m.image_id AND v.retired_change IS NULL AND v.extractor = e.extractor
    AND same_evidence(v, e) AND v.confidence >= e.confidence)

-- copy_conflicts_to_images
-- Copy the conflicts of moved triples to their images, where these still are two.
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
-- Retire the conflicts of moved triples.
UPDATE conflict SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND (triple_id IN (SELECT id FROM moved) OR other_id IN (SELECT id FROM moved))

-- moved_counts
-- How many triples have moved, and how many were between the two entities.
SELECT count(*) FILTER (NOT between_them), count(*) FILTER (between_them) FROM moved

-- known_images
-- The images that were stored before and have gained evidence.
SELECT image_id AS id FROM moved WHERE NOT is_new AND image_id IS NOT NULL

-- copy_aliases
-- Copy the names of the merged entity to the kept one, where it does not have them.
INSERT INTO entity_alias
SELECT $kept, a.name, a.norm, 'merge', a.document_id, $now, $change, NULL, NULL, a.said_in
FROM (SELECT DISTINCT ON (norm, document_id, said_in) * FROM entity_alias
      WHERE entity_id = $merged AND retired_change IS NULL) a
WHERE NOT EXISTS (
  SELECT 1 FROM entity_alias k
  WHERE k.entity_id = $kept AND k.retired_change IS NULL AND k.norm = a.norm
    AND same_scope(k, a))

-- declare_unsupported
-- The caller who merges entities that only their triples supported, or splits one off, has named what is then there.
INSERT INTO entity_alias
SELECT e.id, e.name, e.norm, $origin, NULL, $now, $change, NULL, NULL, NULL
FROM entity e
WHERE e.id IN FIRST (STANDARD SELECT e.id FROM entity e WHERE e.id = $id AND is_unsupported(e))

-- copy_spans
-- Copy the mentions or values of the merged entity to the kept one, with the name that was used.
INSERT INTO {table}
SELECT * REPLACE ($kept AS entity_id, $change AS recorded_change, coalesce(name, $name) AS name)
FROM {table} WHERE entity_id = $merged AND retired_change IS NULL

-- copy_distinct_pairs
-- What is distinct from the merged entity is distinct from the kept one.
INSERT INTO distinct_pair
SELECT least($kept, x.other), greatest($kept, x.other), any_value(x.reason), $now, $change, NULL, NULL
FROM (
  SELECT if(entity_id = $merged, other_id, entity_id) AS other, reason FROM distinct_pair
  WHERE retired_change IS NULL AND (entity_id = $merged OR other_id = $merged)) x
WHERE x.other <> $kept AND NOT EXISTS (
  SELECT 1 FROM distinct_pair d
  WHERE d.retired_change IS NULL AND d.entity_id = least($kept, x.other) AND d.other_id = greatest($kept, x.other))
GROUP BY x.other

-- retire_distinct_pairs
-- Retire the pairs of the merged entity.
UPDATE distinct_pair SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND (entity_id = $merged OR other_id = $merged)

-- add_merge
-- Log the merge.
INSERT INTO merge SELECT nextval('merge_id'), $kept, $merged, $reason, NULL, $now, $change, NULL, NULL

-- active_merges
-- The merges that were not split, newest first.
STANDARD SELECT m.id, m.kept_id, m.merged_id, m.recorded_change, k.name AS kept, l.name AS merged, l.type,
       k.retired_change IS NOT NULL AS is_retired
FROM merge m JOIN entity k ON k.id = m.kept_id JOIN entity l ON l.id = m.merged_id
WHERE m.retired_change IS NULL ORDER BY m.id DESC

-- names_before_merge
-- The names that an entity had when it was merged.
SELECT DISTINCT name, norm FROM entity_alias WHERE entity_id = $merged AND retired_change = $was

-- merges_by_name
-- The active merges of entities that had a normal form as a name.
STANDARD SELECT DISTINCT m.id
FROM merge m JOIN entity_alias a ON a.entity_id = m.merged_id AND a.retired_change = m.recorded_change
WHERE m.retired_change IS NULL AND a.norm = $norm

-- own_norms
-- The normal forms of the names that an entity has, not by a merge.
SELECT DISTINCT norm FROM entity_alias WHERE entity_id = $kept AND retired_change IS NULL AND origin <> 'merge'

-- was_named
-- Whether an entity had a normal form as its own name or alias when another was merged into it.
SELECT EXISTS (
  SELECT 1 FROM entity_alias
  WHERE entity_id = $kept AND norm = $norm AND origin <> 'merge'
    AND recorded_change < $was AND (retired_change IS NULL OR retired_change >= $was))

-- parted_triples
-- The triples that a merge has retired, each with its image if that is active.
SELECT r.id, r.between_them, t.id AS image_id
FROM (
  SELECT id, if(subject_id = $merged, $kept, subject_id) AS subject_id, predicate_id,
         if(object_id = $merged, $kept, object_id) AS object_id, valid_from, valid_to,
         subject_id = $kept OR object_id = $kept AS between_them
  FROM triple WHERE retired_change = $was AND (subject_id = $merged OR object_id = $merged)) r
LEFT JOIN (
  SELECT * FROM triple WHERE id IN FIRST (
    STANDARD SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $kept OR object_id = $kept))) t
  ON NOT r.between_them AND same_triple(t, r)

-- parted_evidence
-- Their evidence that is still valid: the image still has it, or the triple has no image and the chunk is active.
SELECT e.id, e.triple_id
FROM evidence e JOIN parted p ON p.id = e.triple_id
WHERE e.retired_change = $was AND (
  (p.between_them AND (e.chunk_id IS NULL OR e.chunk_id IN (
    SELECT id FROM chunk WHERE retired_change IS NULL AND id IN FIRST (
      SELECT chunk_id FROM evidence WHERE retired_change = $was AND chunk_id IS NOT NULL))))
  OR EXISTS (
    SELECT 1 FROM evidence v
    WHERE v.triple_id = p.image_id AND v.retired_change IS NULL AND v.extractor = e.extractor
      AND same_evidence(v, e)))

-- departing_evidence
-- The active evidence that the merge has added.
STANDARD SELECT id, triple_id FROM evidence
WHERE retired_change IS NULL
  AND triple_id IN (SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $kept OR object_id = $kept))
  AND (recorded_change = $was OR id IN (SELECT id FROM past WHERE kind = 'evidence' AND recorded_change = $was))

-- named_evidence
-- The rest of the kept entity's evidence, where it uses another name than the entity's own.
STANDARD SELECT v.id, t.subject_id, t.object_id, v.subject_name, v.object_name
FROM evidence v JOIN triple t ON t.id = v.triple_id
WHERE v.retired_change IS NULL AND t.retired_change IS NULL
  AND ((t.subject_id = $kept AND v.subject_name IS NOT NULL) OR (t.object_id = $kept AND v.object_name IS NOT NULL))
  AND v.recorded_change <> $was AND v.id NOT IN (SELECT id FROM past WHERE kind = 'evidence' AND recorded_change = $was)

-- triples_to_part
-- The triples to restore: those with valid evidence.
SELECT DISTINCT triple_id AS id FROM parted_evidence

-- evidence_to_part
-- The evidence to restore.
SELECT id FROM parted_evidence

-- entity_to_part
-- The entity to restore.
SELECT $id::BIGINT AS id

-- target_triples
-- The triples that evidence is moved to that names the merged entity: active ones, or new ones.
SELECT l.*, coalesce(t.id, nextval('triple_id')) AS triple_id, t.id IS NULL AS is_new
FROM (
  SELECT i.subject_id, o.predicate_id, i.object_id, o.valid_from, o.valid_to, max(v.confidence) AS confidence,
         arg_min(o.properties, v.id) AS properties
  FROM incoming_evidence i JOIN evidence v ON v.id = i.evidence_id JOIN triple o ON o.id = v.triple_id
  WHERE o.id IN FIRST (SELECT triple_id FROM evidence WHERE id IN (SELECT evidence_id FROM incoming_evidence))
  GROUP BY ALL) l
LEFT JOIN (
  SELECT * FROM triple WHERE id IN FIRST (
    STANDARD SELECT id FROM triple WHERE retired_change IS NULL AND (subject_id = $merged OR object_id = $merged))) t
  ON same_triple(t, l)

-- add_target_triples
-- Add the new ones.
INSERT INTO triple
SELECT triple_id, subject_id, predicate_id, object_id, confidence, valid_from, valid_to, properties, $now, $change,
       NULL, NULL, NULL
FROM target_triple WHERE is_new

-- copy_evidence_to_targets
-- Copy the evidence there, with names where they are aliases.
INSERT INTO evidence
SELECT nextval('evidence_id'), l.triple_id, v.chunk_id, v.start_offset, v.end_offset, v.quote, v.extractor,
       v.confidence, v.surface, v.source, $now, $change, NULL, NULL, i.subject_name, i.object_name,
       v.properties, v.said_until
FROM incoming_evidence i JOIN evidence v ON v.id = i.evidence_id JOIN triple o ON o.id = v.triple_id
JOIN target_triple l ON l.subject_id = i.subject_id AND l.predicate_id = o.predicate_id AND l.object_id = i.object_id
 AND l.valid_from IS NOT DISTINCT FROM o.valid_from AND l.valid_to IS NOT DISTINCT FROM o.valid_to
WHERE o.id IN FIRST (SELECT triple_id FROM evidence WHERE id IN (SELECT evidence_id FROM incoming_evidence))

-- restore_merged_aliases
-- Add the names that the merge took, as new rows, unless their source is gone; its own name is then no document's.
INSERT INTO entity_alias
SELECT a.entity_id, a.name, a.norm, a.origin, a.document_id, $now, $change, NULL, NULL,
       if(d.retired_change IS NULL, a.said_in, 0)
FROM entity_alias a LEFT JOIN document d ON d.id = a.said_in
WHERE a.entity_id = $merged AND a.retired_change = $was AND (a.origin = 'name' OR EXISTS (
  SELECT 1 FROM entity_alias k
  WHERE k.entity_id = $kept AND k.retired_change IS NULL AND k.norm = a.norm
    AND same_scope(k, a)))

-- retire_copied_aliases
-- Retire the names that the merge copied or declared.
UPDATE entity_alias SET retired_at = $now, retired_change = $change
WHERE entity_id = $kept AND retired_change IS NULL AND origin = 'merge'
  AND ((said_in IS NULL AND recorded_change = $was)
       OR (norm, coalesce(document_id, -1), coalesce(said_in, -1)) IN (
         SELECT (norm, coalesce(document_id, -1), coalesce(said_in, -1)) FROM entity_alias
         WHERE entity_id = $merged AND retired_change = $was))

-- mention_names
-- The names in the mentions and values of an entity.
SELECT name FROM mention WHERE entity_id = $kept AND retired_change IS NULL AND name IS NOT NULL
UNION SELECT name FROM entity_value WHERE entity_id = $kept AND retired_change IS NULL AND name IS NOT NULL

-- restore_merged_spans
-- Add the mentions or values that the merge copied, and later ones of the merged entity's names, as new rows.
INSERT INTO {table}
SELECT * REPLACE ($merged AS entity_id, $change AS recorded_change) FROM {table}
WHERE entity_id = $kept AND retired_change IS NULL
  AND (recorded_change = $was OR list_contains($names::JSON::VARCHAR[], name))

-- retire_copied_spans
-- Retire the same for the kept entity.
UPDATE {table} SET retired_change = $change
WHERE entity_id = $kept AND retired_change IS NULL
  AND (recorded_change = $was OR list_contains($names::JSON::VARCHAR[], name))

-- restore_merged_pairs
-- Add the pairs of the merged entity, as new rows.
INSERT INTO distinct_pair
SELECT entity_id, other_id, reason, $now, $change, NULL, NULL FROM distinct_pair
WHERE retired_change = $was AND (entity_id = $merged OR other_id = $merged)

-- retire_copied_pairs
-- Retire the pairs that the merge copied.
UPDATE distinct_pair SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND recorded_change = $was AND (entity_id = $kept OR other_id = $kept)

-- restore_merged_conflicts
-- Add the conflicts that the merge retired, between triples that are active again, with the verdict given since.
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
  AND c.triple_id IN FIRST (
    STANDARD SELECT id FROM triple
    WHERE retired_change IS NULL AND id IN (SELECT triple_id FROM conflict WHERE retired_change = $was))
  AND (c.other_id IS NULL OR c.other_id IN FIRST (
    STANDARD SELECT id FROM triple
    WHERE retired_change IS NULL AND id IN (SELECT other_id FROM conflict WHERE retired_change = $was)))

-- copy_conflicts_to_parted
-- Copy conflicts found since with an image that is retired now to the triples that are active.
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

-- retire_copied_conflicts
-- Retire the conflicts that the merge copied, and those of triples that are retired with it.
UPDATE conflict SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND recorded_change <> $change AND (
  recorded_change = $was
  OR triple_id IN (SELECT id FROM triple WHERE retired_change = $change)
  OR other_id IN (SELECT id FROM triple WHERE retired_change = $change))

-- type_before_merge
-- The type that the kept entity had before a merge gave it another.
SELECT was->>'$.type', was->>'$.type_extractor' FROM past
WHERE kind = 'entity' AND id = $kept AND retired_change = $was AND was IS NOT NULL

-- entity_type
-- The type of an entity.
SELECT type, type_extractor FROM entity WHERE id = $id

-- distinct_reason
-- Why two entities are distinct.
SELECT reason FROM distinct_pair
WHERE retired_change IS NULL AND entity_id = least($a, $b) AND other_id = greatest($a, $b)

-- add_distinct_pair
-- Mark two entities as distinct.
INSERT INTO distinct_pair VALUES (least($a, $b), greatest($a, $b), $reason, $now, $change, NULL, NULL)

-- retire_distinct_pair
-- Retire that mark.
UPDATE distinct_pair SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND entity_id = least($a, $b) AND other_id = greatest($a, $b)
