-- Finds the messages of an endpoint that have failed, without reading those that were delivered.
create index webhook_attempts_failed on webhook_attempts (endpoint_id, message_id) where not succeeded;
