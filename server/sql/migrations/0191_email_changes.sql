-- An operator changes the e-mail address of an account after a code sent to the new address.
alter table challenges drop constraint challenges_purpose_check, add constraint challenges_purpose_check check (
  purpose in ('sign_in', 'sign_up', 'reset_password', 'phone', 'step_up', 'email_change')) not valid;
alter table challenges validate constraint challenges_purpose_check;
