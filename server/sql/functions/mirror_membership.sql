-- Trigger: an account has another owner or one less, so its contact may be another person.
create or replace function mirror_membership() returns trigger
language plpgsql
as $$
begin
  perform mirror_contact(coalesce(new.account_id, old.account_id));
  return null;
end
$$;

create or replace trigger memberships_are_mirrored after insert or update of role or delete on memberships
  for each row execute function mirror_membership();
