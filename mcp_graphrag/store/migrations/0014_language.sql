-- The language that the words of a document are indexed by; those that are stored were indexed as English.
ALTER TABLE document ADD COLUMN language VARCHAR DEFAULT 'en';
COMMENT ON COLUMN document.language IS 'By ISO 639-1, as its text is indexed; empty where unknown';
-- In a file with documents `mcp_graphrag/jobs/upgrade.py` tells their languages and indexes their words anew.
UPDATE meta SET value = '3' WHERE key = 'derived' AND NOT EXISTS (SELECT 1 FROM change);
