-- The language of the texts for systems that give the code alone, as in the contract; null: the account's own text.
alter table connections add column language text;
