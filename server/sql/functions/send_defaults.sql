-- The account settings that apply to sends.
create or replace function send_defaults(of_account uuid)
returns table (default_otp_length smallint, default_expiry_seconds integer, default_message text, default_subject text,
  sender_name text, reply_to_email text)
language sql stable
as $$
  select a.default_otp_length, a.default_expiry_seconds, a.default_message, a.default_subject, a.sender_name, a.reply_to_email
  from accounts a where a.id = of_account
$$;
