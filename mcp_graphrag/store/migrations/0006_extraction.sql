-- Which chunks are handed out to be read, and extractions that an undo or a rebuild takes back.

-- Chunks that a client reads at present. Leases are no part of the graph's history: none is recorded or undone.
CREATE TABLE extraction_lease (
  chunk_id BIGINT NOT NULL,
  holder VARCHAR NOT NULL,
  expires_at TIMESTAMP NOT NULL
);

ALTER TABLE extraction ADD COLUMN retired_change BIGINT;

CREATE OR REPLACE VIEW sources AS
SELECT v.triple_id, t.subject, t.predicate, t."object", v.quote,
       d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8] AS citation,
       coalesce(v.source, d.source, '') AS source, v.extractor, round(v.confidence::DOUBLE, 3) AS confidence, v.surface,
       k.client
FROM evidence v
JOIN triples t ON t.id = v.triple_id
LEFT JOIN chunk c ON c.id = v.chunk_id
LEFT JOIN document d ON d.id = c.document_id
LEFT JOIN change k ON k.id = v.recorded_change
WHERE v.retired_change IS NULL;

COMMENT ON VIEW sources IS 'Evidence of each triple: quote, citation, extractor, confidence, and the client that stored it';
COMMENT ON TABLE extraction_lease IS 'Chunks handed out for extraction; an expired one is free again';
