-- Services that test keys made. Those from before are live.

alter table twilio_services add column is_test boolean not null default false;
