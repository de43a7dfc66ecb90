-- Whether the recipient's country chooses the language of a message for which none was requested.
alter table accounts add language_by_country boolean not null default false;
