import type Stripe from 'stripe';
import { type Account, type Call, held, newId, seconds } from './account.ts';
import { accept, names, text } from './form.ts';
import { page } from './list.ts';

interface Movement {
  type: Stripe.BalanceTransaction.Type;
  reporting_category: string;
  amount: number;
  fee?: number;
  currency: string;
  source: string;
  description?: string;
}

/** A movement on the account's Stripe balance; `net` is the amount less the fee. */
export function moveBalance(account: Account, movement: Movement): Stripe.BalanceTransaction {
  const { fee = 0, description = null, ...rest } = movement;
  const transaction: Stripe.BalanceTransaction = {
    ...rest,
    id: newId('txn'),
    object: 'balance_transaction',
    available_on: seconds(account),
    balance_type: 'payments',
    created: seconds(account),
    description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency: movement.currency,
              description: movement.type === 'charge' ? 'Stripe processing fees' : 'Dispute fee',
              type: 'stripe_fee',
            },
          ],
    net: movement.amount - fee,
    status: 'available',
  };
  account.balanceTransactions.set(transaction.id, transaction);
  return transaction;
}

export function retrieveBalanceTransaction({
  account,
  ids: [id = ''],
  form,
}: Call): Stripe.BalanceTransaction {
  accept(form, names<Stripe.BalanceTransactionRetrieveParams>()());
  return held(account, 'balanceTransactions', id);
}

const LIST = names<Stripe.BalanceTransactionListParams>()(
  'created',
  'ending_before',
  'limit',
  'source',
  'starting_after',
  'type',
);

export function listBalanceTransactions({ account, form }: Call): Stripe.ApiList<Stripe.BalanceTransaction> {
  accept(form, LIST);
  const [type, source] = [text(form, 'type'), text(form, 'source')];
  return page('/v1/balance_transactions', [...account.balanceTransactions.values()], form, (one) => {
    return (type === undefined || one.type === type) && (source === undefined || one.source === source);
  });
}
