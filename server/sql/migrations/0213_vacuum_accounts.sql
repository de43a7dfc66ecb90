-- Operators' lists read many accounts from indexes alone, which takes recently vacuumed pages.
alter table accounts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
