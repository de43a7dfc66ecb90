-- The caller's labels of a send, as JSON. As a text, the searches and the erasure of texts find what it names.
alter table verifications add metadata text;
