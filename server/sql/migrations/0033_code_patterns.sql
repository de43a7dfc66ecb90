-- The text around the code, with {code}, for systems that send whole texts; null: the code is recognized without it.
alter table connections add column code_pattern text;
