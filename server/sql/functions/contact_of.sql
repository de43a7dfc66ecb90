-- The person whose address stands for an account in lists and on receipts: its founder while they are an owner, or else the owner
-- who joined first. Null if the account has no owner.
create or replace function contact_of(account uuid) returns uuid
language sql stable
as $$
  select person_id from memberships where account_id = account and role = 'owner'
  order by person_id = account desc, joined_at, person_id limit 1
$$;
