-- find_documents
-- The active documents with any of the uris.
SELECT document_columns(d) FROM document d
WHERE uri IN FIRST (SELECT unnest($uris::JSON::VARCHAR[])) AND retired_change IS NULL

-- file_uri_bounds
-- The first and the last uri of the active documents that are files, in their order.
SELECT min(uri), max(uri) FROM document WHERE starts_with(uri, 'file:') AND retired_change IS NULL

-- titles_once
-- Which of some titles only one active document has.
SELECT title FROM document
WHERE title IN FIRST (SELECT unnest($titles::JSON::VARCHAR[])) AND retired_change IS NULL
GROUP BY title HAVING count(*) = 1

-- files_by_type
-- The active documents of some media types, or whose file has a name of a pattern.
SELECT uri, media_type, id FROM document
WHERE retired_change IS NULL
  AND (media_type IN FIRST (SELECT unnest($media_types::VARCHAR[]))
       OR regexp_full_match(lower(regexp_extract(uri, '[^/]*$')), $names::VARCHAR))

-- files_saying
-- The active documents of some media types with a text that a regular expression is found in.
SELECT DISTINCT c.document_id FROM chunk c JOIN document d ON d.id = c.document_id
WHERE d.retired_change IS NULL AND c.parent_id IS NULL
  AND d.media_type IN FIRST (SELECT unnest($media_types::VARCHAR[])) AND regexp_matches(c.text, $pattern)

-- text_of_document
-- The text of a document, retired ones included.
SELECT string_agg(text, '' ORDER BY start_offset) FROM chunk
WHERE document_id = $id AND parent_id IS NULL

-- first_lines
-- The line that each chunk begins in, from 1: the line breaks in front of it are counted.
WITH wanted AS MATERIALIZED (SELECT id, document_id, start_offset FROM chunk WHERE id IN ({ids})),
ends AS (
  SELECT document_id, end_offset,
         sum(length(text) - length(replace(text, chr(10), ''))) OVER (PARTITION BY document_id ORDER BY end_offset) AS breaks
  FROM chunk
  WHERE document_id IN FIRST (SELECT document_id FROM chunk WHERE id IN ({ids})) AND id NOT IN (
    SELECT parent_id FROM chunk
    WHERE parent_id IS NOT NULL AND document_id IN FIRST (SELECT document_id FROM chunk WHERE id IN ({ids}))))
SELECT w.id, 1 + coalesce(e.breaks, 0)::BIGINT
FROM wanted w ASOF LEFT JOIN ends e ON e.document_id = w.document_id AND e.end_offset <= w.start_offset

-- extracted_by
-- The extractors that have read every top-level chunk of a document.
SELECT c.document_id, x.extractor
FROM extraction x JOIN chunk c ON c.id = x.chunk_id
WHERE x.retired_change IS NULL AND c.document_id IN FIRST (SELECT unnest($ids::BIGINT[]))
  AND x.chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id IN FIRST (SELECT unnest($ids::BIGINT[])))
GROUP BY c.document_id, x.extractor
HAVING count(DISTINCT c.id) = (
  SELECT count(*) FROM chunk o WHERE o.document_id = c.document_id AND o.parent_id IS NULL
    AND o.document_id IN FIRST (SELECT unnest($ids::BIGINT[])))

-- document_versions
-- Every version of the document with a uri that was ever stored: the active one, then the newest first.
SELECT document_columns(d) FROM document d
WHERE uri = $uri ORDER BY retired_change IS NOT NULL, id DESC

-- recent_documents
-- The active documents, newest first, those of a history behind all others.
SELECT document_columns(d) FROM document d
WHERE retired_change IS NULL ORDER BY is_of_history(d), id DESC LIMIT $limit

-- document_languages
-- The languages of the active documents, that of most documents first.
STANDARD SELECT language FROM document WHERE retired_change IS NULL GROUP BY language ORDER BY count(*) DESC, language

-- is_mostly_english
-- Whether at least half of the characters of the active documents are of those in English.
STANDARD SELECT coalesce(sum(CASE WHEN language = 'en' THEN length ELSE -length END), 0) >= 0
FROM document WHERE retired_change IS NULL

-- openings
-- The first chunks of documents, as much as tells the language.
SELECT d.id, d.media_type, d.language, string_agg(c.text, '' ORDER BY c.start_offset)
FROM document d LEFT JOIN chunk c ON c.document_id = d.id AND c.parent_id IS NULL AND c.start_offset < $sample
WHERE d.id IN ({ids}) GROUP BY d.id, d.media_type, d.language

-- set_languages
-- Store the languages that documents are in.
UPDATE document SET language = i.language FROM incoming_language i WHERE document.id = i.id

-- active_documents
-- The active documents, ascending.
SELECT id FROM document WHERE retired_change IS NULL ORDER BY id

-- add_documents
-- Add documents.
INSERT INTO document
SELECT id, uri, title, source, media_type, metadata, sha256, length, $now, $change, NULL, NULL, file_time,
       language
FROM incoming_document

-- update_document
-- Update the title, source and metadata of a document whose text is unchanged.
UPDATE document SET title = $title, source = $source, metadata = $metadata, recorded_at = $now,
  recorded_change = $change
WHERE id = $id

-- retire_evidence_of_document
-- Retire the evidence in the chunks of a document.
UPDATE evidence SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id = $id)

-- retire_spans_of_document
-- Retire the mentions or values in the chunks of a document.
UPDATE {table} SET retired_change = $change
WHERE retired_change IS NULL AND chunk_id IN FIRST (SELECT id FROM chunk WHERE document_id = $id)

-- retire_unsupported_triples
-- Retire triples that lost evidence by this change and have none left; confirmations alone support nothing.
UPDATE triple SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL
  AND id IN FIRST (
    STANDARD SELECT v.triple_id FROM evidence v WHERE v.retired_change = $change AND NOT EXISTS (
      SELECT 1 FROM evidence o
      WHERE o.triple_id = v.triple_id AND o.retired_change IS NULL AND o.extractor <> 'outcome'))

-- retire_lone_confirmations
-- Retire the confirmations of triples that this change retires.
UPDATE evidence SET retired_at = $now, retired_change = $change
WHERE retired_change IS NULL AND extractor = 'outcome'
  AND triple_id IN FIRST (SELECT id FROM triple WHERE retired_change = $change)

-- add_chunks
-- Add chunks of new documents.
INSERT INTO chunk
SELECT id, document_id, nullif(parent_id, -1), ordinal, start_offset, end_offset, string_split(headings, chr(31)),
       context, text, sha256, $now, $change, NULL, NULL
FROM incoming_chunk

-- chunks_by_id
-- Chunks by primary key; a join would scan the table instead.
SELECT id, ordinal, start_offset, end_offset, headings, text, sha256, context, document_id
FROM chunk WHERE id IN ({ids})

-- documents_by_id
-- Documents by primary key.
SELECT document_columns(d) FROM document d
WHERE id IN ({ids})

-- chunk_ids_of_document
-- A document's top-level chunks in reading order, retired ones included.
SELECT id FROM chunk WHERE document_id = $document_id AND parent_id IS NULL ORDER BY ordinal

-- chunk_ids_in_span
-- The top-level chunks of a document that overlap a span, in reading order.
SELECT id FROM chunk
WHERE document_id = $document_id AND parent_id IS NULL AND start_offset < $end AND end_offset > $start
ORDER BY ordinal

-- filter_chunks
-- The active chunks of the documents that match; a NULL condition matches all.
SELECT c.id
FROM chunk c JOIN document d ON d.id = c.document_id
WHERE c.retired_change IS NULL
  AND ($documents IS NULL OR list_contains($documents::JSON::VARCHAR[], d.uri)
       OR list_contains([lower(x) FOR x IN $documents::JSON::VARCHAR[]], lower(d.title)))
  AND ($sources IS NULL OR list_contains([lower(x) FOR x IN $sources::JSON::VARCHAR[]], lower(d.source)))
  AND ($media_types IS NULL OR list_contains($media_types::JSON::VARCHAR[], d.media_type))
  AND ($since IS NULL OR document_date(d) >= $since)
  AND ($until IS NULL OR document_date(d) < $until)
  AND ($metadata IS NULL OR list_bool_and([coalesce(list_contains(metadata_values(d, pair[1]), pair[2]), false)
                                           FOR pair IN $metadata::JSON::VARCHAR[][]]))
  {among}
ORDER BY c.id

-- similar_documents
-- The active documents whose title, uri or file name is most similar to a name, by title or uri, whichever is closer.
SELECT CASE WHEN by_title >= by_uri THEN title ELSE uri END AS name FROM (
  SELECT uri, title, jaro_winkler_similarity(lower(title), lower($name)) AS by_title,
    greatest(contains(lower(uri), lower($name))::DOUBLE, jaro_winkler_similarity(lower(uri), lower($name)),
      jaro_winkler_similarity(lower(regexp_extract(uri, '[^/]*$')), lower($name))) AS by_uri
  FROM document WHERE retired_change IS NULL)
GROUP BY name ORDER BY max(greatest(by_title, by_uri)) DESC, name LIMIT 3

-- similar_values
-- Values that active documents have as source, media type or metadata, the most similar to a name first.
SELECT name FROM (
  SELECT unnest(CASE $kind
    WHEN 'source' THEN [source]
    WHEN 'media type' THEN [media_type]
    WHEN 'metadata key' THEN json_keys(metadata)
    ELSE metadata_values(document, $key)
  END) AS name
  FROM document WHERE retired_change IS NULL)
WHERE length(name) BETWEEN 1 AND 200
GROUP BY name
ORDER BY contains(lower(name), lower($name)) DESC, jaro_winkler_similarity(lower(name), lower($name)) DESC, name
LIMIT 5

-- document_date_range
-- The dates of the oldest and the newest active document.
SELECT min(document_date(d)), max(document_date(d)) FROM document d WHERE d.retired_change IS NULL

-- searched_chunks
-- The active chunks that are searched, ascending: a parent is found by its children.
SELECT id FROM chunk
WHERE retired_change IS NULL AND id NOT IN (not_searched()) ORDER BY id

-- chunk_documents
-- The active chunks that were recorded after a generation, ascending, with their documents.
SELECT id, document_id FROM chunk WHERE retired_change IS NULL AND recorded_change > $since ORDER BY id

-- dated_documents
-- The active documents that were recorded after a generation, ascending, with what may date them.
SELECT id, metadata, file_time FROM document WHERE retired_change IS NULL AND recorded_change > $since ORDER BY id

-- chunk_parents
-- The active chunks with a parent that were recorded after a generation, ascending.
SELECT id, parent_id FROM chunk
WHERE parent_id IS NOT NULL AND retired_change IS NULL AND recorded_change > $since ORDER BY id
