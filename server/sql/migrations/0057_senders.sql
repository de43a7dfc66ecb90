-- From which number or name the carrier sent the message. Null if the carrier chose it, and for mails.
alter table verifications add sender text;
