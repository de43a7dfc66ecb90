-- Ids are ordered by time and rows by id, so a summary of each block range is all that finding old rows needs.
create index verifications_by_age on verifications using brin (id);
create index status_history_by_age on status_history using brin (otp_id);
create index request_logs_by_age on request_logs using brin (id);
create index webhook_messages_by_age on webhook_messages using brin (id);
create index webhook_attempts_by_age on webhook_attempts using brin (id);
