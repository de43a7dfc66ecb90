-- Stores the responses to requests with idempotency keys. idempotent_answers reads them. A key older than 24 hours can be reused.
--
-- answers  [{account_id, endpoint, key, request, status, response}]
-- locks    none; the caller has locked the keys
create or replace function keep_idempotent_answers(answers json) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  -- most batches have none
  if json_array_length(answers) = 0 then return; end if;
  insert into idempotency_keys (account_id, endpoint, key, request, status, response, created_at)
    select account_id, endpoint, key, request, status, response, clock_now()
    from json_to_recordset(answers) as a (account_id uuid, endpoint text, key bytea, request bytea, status smallint, response json)
    on conflict (account_id, endpoint, key) do update set
      request = excluded.request, status = excluded.status, response = excluded.response, created_at = excluded.created_at;
end
$$;
