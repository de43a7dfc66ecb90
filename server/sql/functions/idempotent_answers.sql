-- The stored responses to requests with the same idempotency keys from the last 24 hours.
--
-- items    [{account_id, endpoint, idempotency_key (hex)?}]
-- returns  [{account_id, key, request, status, response}], or null
create or replace function idempotent_answers(items json) returns json
language sql stable
as $$
  select json_agg(json_build_object('account_id', i.account_id, 'key', i.idempotency_key, 'request', k.request,
      'status', k.status, 'response', k.response))
    from (select distinct i.account_id, i.idempotency_key, i.endpoint
          from json_to_recordset(items) as i (account_id uuid, idempotency_key bytea, endpoint text)
          where i.idempotency_key is not null) i
    cross join lateral (
      select * from idempotency_keys k where k.account_id = i.account_id and k.endpoint = i.endpoint
        and k.key = i.idempotency_key and k.created_at > clock_now() - interval '24 hours' offset 0) k
$$;
