-- Trigger: a person changed; repeats it in the accounts whose contact they are.
create or replace function mirror_person() returns trigger
language plpgsql
as $$
begin
  perform mirror_contact(m.account_id) from memberships m where m.person_id = new.id and m.role = 'owner';
  return null;
end
$$;

create or replace trigger people_are_mirrored after update on people for each row execute function mirror_person();
