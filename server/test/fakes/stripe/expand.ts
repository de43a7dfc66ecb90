import type { Account } from './account.ts';
import { invalidParameter } from './failure.ts';

const deepest = 4;

/** Fills in the ids named by `expand` (`latest_charge.balance_transaction`, `data.customer`) on a copy. */
export function expanded<T extends object>(account: Account, answer: T, paths: string[]): T {
  const copy = structuredClone(answer);
  for (const path of paths) {
    const steps = path.split('.');
    if (steps.length > deepest) {
      throw invalidParameter(
        'property_cannot_be_expanded',
        'expand',
        `You cannot expand more than 4 levels of a property. Property: ${path}`,
      );
    }
    fill(account, copy as Record<string, unknown>, steps, path);
  }
  return copy;
}

function fill(
  account: Account,
  object: Record<string, unknown>,
  [step = '', ...rest]: string[],
  path: string,
): void {
  if (step === 'refunds' && object.object === 'charge')
    object.refunds = refundsOf(account, String(object.id));
  const value = object[step];
  if (value === null) return;
  if (typeof value === 'string') object[step] = found(account, value) ?? cannot(path);
  else if (value === undefined || typeof value !== 'object') cannot(path);
  if (rest.length === 0) return;
  const inner = object[step];
  for (const one of Array.isArray(inner) ? inner : [inner]) {
    fill(account, one as Record<string, unknown>, rest, path);
  }
}

function refundsOf(account: Account, charge: string) {
  const data = [...account.refunds.values()].filter((refund) => refund.charge === charge).toReversed();
  return { object: 'list', data, has_more: false, url: `/v1/charges/${charge}/refunds` };
}

function cannot(path: string): never {
  throw invalidParameter(
    'property_cannot_be_expanded',
    'expand',
    `This property cannot be expanded (${path}). You may want to try expanding 'data.${path}' instead.`,
  );
}

function found(account: Account, id: string): object | undefined {
  const maps: Record<string, Map<string, object>> = {
    ch: account.charges,
    cus: account.customers,
    dp: account.disputes,
    pi: account.paymentIntents,
    pm: account.paymentMethods,
    re: account.refunds,
    seti: account.setupIntents,
    txn: account.balanceTransactions,
  };
  return structuredClone(maps[id.split('_')[0] ?? '']?.get(id));
}
