-- Claims take notices with codes and reset links, which expire within an hour, separately from all others. The previous release
-- claims with `notices_ready`, which a later release can drop.
create index notices_urgent on notices (run_at) where worker_id is null and expires_at - created_at <= interval '1 hour';
create index notices_ordinary on notices (run_at) where worker_id is null and expires_at - created_at > interval '1 hour';
