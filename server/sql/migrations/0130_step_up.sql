-- when the user last proved who they are in this session: at its sign-in, or when a change asked for it
alter table sessions add column proven_at timestamptz;

alter table challenges drop constraint challenges_purpose_check, add constraint challenges_purpose_check check (
  purpose in ('sign_in', 'sign_up', 'reset_password', 'phone', 'step_up')) not valid;
alter table challenges validate constraint challenges_purpose_check;
