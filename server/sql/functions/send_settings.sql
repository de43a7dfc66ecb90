-- The account settings that apply to sends. Because they are JSON, they can gain fields without a new version of this function.
create or replace function send_settings(of_account uuid) returns json
language sql stable
as $$
  select row_to_json(s) from (
    select a.default_otp_length, a.default_expiry_seconds, a.default_message, a.default_subject, a.default_language,
      a.language_by_country, a.sender_name, a.reply_to_email
    from accounts a where a.id = of_account) s
$$;
