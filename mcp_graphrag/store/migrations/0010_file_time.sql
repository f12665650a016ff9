-- The time of the file that a document was read from: the date of a text that gives itself none.
ALTER TABLE document ADD COLUMN file_time TIMESTAMP;
COMMENT ON COLUMN document.file_time IS 'When the file was last changed, by the file system; NULL for a text without a file';

-- The age of a document ends nothing: only what is said in the past tense is not asserted today.
UPDATE triple SET said_until = NULL WHERE said_until > TIMESTAMP '0001-01-02';
UPDATE evidence SET said_until = NULL WHERE said_until > TIMESTAMP '0001-01-02';
COMMENT ON COLUMN triple.said_until IS 'Year 1: only said in the past tense; else NULL';
