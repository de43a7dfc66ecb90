-- Each entry was checked against `accounts`, which locks the row of the account and costs each send about 20 µs. The check found
-- nothing that the entry's writer had not locked: every entry is written with the balance of its account, which refers to `accounts`.
-- What remains to be refused is the removal of an account, and `balances` refuses that.
alter table ledger drop constraint ledger_account_id_fkey;
