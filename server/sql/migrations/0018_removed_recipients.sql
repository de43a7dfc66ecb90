-- The keyed hash of a recipient that was removed after RECIPIENT_RETENTION_DAYS, by which a search for the whole recipient still
-- finds the row. Null while the row names its recipient.
alter table verifications add column recipient_hash bytea;
alter table request_logs add column recipient_hash bytea;
