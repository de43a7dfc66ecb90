-- The language of an account's messages, and for each send the language that was asked for and that of our text; BCP 47.
alter table accounts add default_language text not null default 'en';
alter table verifications add locale text, add language text;
