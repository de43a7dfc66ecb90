-- Moves plans on: stores what is left of each, and the history and the webhook messages of the steps that started or were skipped.
-- Each plan's verification is locked as for any change of it.
--
-- moves    [{account_id, otp_id,
--            current_id: the message of the step that starts, or null if none does,
--            rest: the steps that are left,
--            is_due: the plan was due, so a delivery reported meanwhile stops it,
--            steps: all steps, for verifications.plan,
--            changes: [changes of the verification, as for apply_changes]}]
-- locks    as apply_changes; then rows of plans by key
create or replace function advance_plans(moves json) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  changes json;
begin
  perform lock_verifications(array(select m.otp_id from json_to_recordset(moves) as m (otp_id uuid)));
  for changes in
    select json_build_array(c.change) from json_to_recordset(moves) as m (otp_id uuid, changes json)
    cross join lateral json_array_elements(m.changes) with ordinality as c (change, place)
    order by m.otp_id, c.place
  loop
    perform apply_changes(changes);
  end loop;
  update verifications v set plan = jsonb_build_object('step', 1, 'steps', m.steps)
    from json_to_recordset(moves) as m (account_id uuid, otp_id uuid, steps jsonb)
    where v.account_id = m.account_id and v.id = m.otp_id;
  perform 1 from plans p
    where p.otp_id = any (array(select m.otp_id from json_to_recordset(moves) as m (otp_id uuid)))
    order by p.otp_id for update;
  update plans p set current_id = coalesce(m.current_id, p.current_id), rest = m.rest,
      is_held = m.is_due and p.is_held,
      run_at = case
        when m.is_due and p.is_held then p.run_at
        when m.current_id is null or json_array_length(m.rest) = 0 then p.expires_at
        else least(p.expires_at, clock_now() + make_interval(secs => p.wait_seconds)) end,
      worker_id = null, claim = null
    from json_to_recordset(moves) as m (otp_id uuid, current_id uuid, rest json, is_due boolean)
    where p.otp_id = m.otp_id;
end
$$;
