-- Trigger: refuses to change the columns by which verifications are grouped for counting, because note_insights assumes that a
-- row's group never changes.
create or replace function refuse_recount() returns trigger
language plpgsql
as $$
begin
  raise exception 'a verification is counted by its account, key, time, channel and country, which never change'
    using errcode = 'restrict_violation';
end
$$;

create or replace trigger verifications_keep_their_count
  before update of account_id, id, api_key_id, created_at, channel, country, is_test, own_code on verifications
  for each statement execute function refuse_recount();
