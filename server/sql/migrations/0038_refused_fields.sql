-- The fields that a refusal named: for each the sentence and, unless it could hold a code, a cut and masked copy of the value.
alter table request_logs add refused_fields jsonb;
