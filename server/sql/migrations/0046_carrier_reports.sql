-- Operators see delivery reports with a status whose meaning is unknown.
alter table carrier_errors drop constraint carrier_errors_kind_check,
  add constraint carrier_errors_kind_check check (kind in ('refused', 'uncertain', 'report'));
