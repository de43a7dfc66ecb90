-- What the company of the look-up did; null for carriers, whose failures are in carrier_errors. Processes that look numbers up write
-- their row under an id of their own.
alter table open_breakers add detail text;
