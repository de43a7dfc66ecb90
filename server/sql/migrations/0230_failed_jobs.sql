-- For the operators' overview: jobs of workers that failed, and the version that each worker runs.
create table job_failures (
  job text not null primary key,
  failures integer not null,
  last_failed_at timestamptz not null,
  last_error text not null
);
alter table workers add column version text not null default '';
