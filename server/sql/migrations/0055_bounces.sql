-- Whether a mail to the bounce domain reported it. A reader of the address's mail can make such a mail up, so other accounts ignore it.
alter table suppressions add by_mail boolean not null default false;
