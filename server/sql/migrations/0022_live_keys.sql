-- Whether only owners and admins may create, change and rotate live keys.
alter table accounts add column live_keys_need_admin boolean not null default false;
