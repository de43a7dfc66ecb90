-- Texts that reach a mail header hold no control, format or separator characters, and a sender name holds no address. Texts
-- from before this rule go back to the default, which an empty text stands for.
do $$
declare
  hidden constant text := '[\u0001-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u08e2\u180e\u200b-\u200f\u2028-\u202e'
    '\u2060-\u206f\ufeff\ufff9-\ufffb\U00013430-\U0001343f\U0001d173-\U0001d17a\U000e0001-\U000e007f]';
begin
  update accounts set sender_name = '' where sender_name like '%@%' or sender_name ~ hidden;
  update accounts set default_subject = '' where default_subject ~ hidden;
end $$;
