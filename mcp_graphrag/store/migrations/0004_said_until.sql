-- Up to when a piece of evidence says that its triple holds: NULL without limit, a year behind the date of a dated
-- document, the year 1 for the past tense. That of a triple is the latest of its evidence.
ALTER TABLE triple ADD COLUMN said_until TIMESTAMP;
ALTER TABLE evidence ADD COLUMN said_until TIMESTAMP;

COMMENT ON COLUMN triple.said_until IS 'Not asserted behind then: a year after the date of its document; year 1: only said in the past tense';
