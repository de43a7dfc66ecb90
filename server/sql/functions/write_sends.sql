-- The previous version's call of record_sends, for a rolling restart. The next release drops it.
create or replace function write_sends(sends json, recipient_rows json, answers json) returns void
language sql volatile
as $$
  select record_sends(
    json_agg((s - '{recipient_hash,carrier}'::text[]) || jsonb_build_object('status', 'pending', 'created_at', s -> 'at',
      'is_test', coalesce(s -> 'is_test', 'false'), 'own_code', coalesce(s -> 'own_code', 'false'))),
    json_build_object('code_sealed', json_agg(s -> 'code_sealed'), 'recipient_hash', json_agg('\x' || (s ->> 'recipient_hash')),
      'limits_key', json_agg(s -> 'limits_key'), 'log_id', json_agg(s -> 'log_id'), 'ms', json_agg(s -> 'ms'),
      'endpoint', json_agg(s -> 'endpoint'), 'worker_id', json_agg(s -> 'worker_id'), 'claim', json_agg(s -> 'claim'),
      'carrier', json_agg(s -> 'carrier')),
    recipient_rows, answers)
  from jsonb_array_elements(sends::jsonb) as s
$$;
