-- Credits that an owner moves between two accounts: one row in each ledger, with the same reference. The rows that exist fit.
alter table ledger drop constraint ledger_kind_check,
  add constraint ledger_kind_check check (kind in ('usage', 'refund', 'purchase', 'clawback', 'reinstate', 'welcome', 'adjustment',
    'transfer_out', 'transfer_in')) not valid;
