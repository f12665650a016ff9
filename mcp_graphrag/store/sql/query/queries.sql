-- nodes_named
-- The ids of the entities with a name or alias, and of the documents with a title, which follow `first_document`.
SELECT a.entity_id FROM entity_alias a WHERE a.name = $name AND a.retired_change IS NULL AND a.document_id IS NULL
UNION SELECT $first_document::BIGINT + d.id FROM document d WHERE d.title = $name AND d.retired_change IS NULL
