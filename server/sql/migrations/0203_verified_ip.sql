-- Where a right code came from. With it, the history of a verification stores no line for the usual end, because readers take that
-- line from the verification itself: one row and two index entries fewer for each verified code.
alter table verifications add column verified_ip inet;
