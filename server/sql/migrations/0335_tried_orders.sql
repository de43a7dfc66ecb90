-- Whether somebody tried to pay the order. Opening the payment form alone is not a try, and the payment history leaves it out.
alter table orders add is_tried boolean not null default false;
