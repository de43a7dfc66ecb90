/**
 * The deployment's prices. A change states the version it was based on, so that two operators cannot overwrite each other's
 * changes.
 */

import * as contract from '@sixdigit/contract/operator/prices.ts';
import {
  type importSendPrices,
  type listPriceChanges,
  type OperatorPrices,
  PricesBody,
  sendPricesFromCsv,
  sendPricesToCsv,
  sortedSendPrices,
  type updatePrices,
} from '@sixdigit/contract/operator/prices.ts';
import type { PriceList, SendPrice } from '@sixdigit/contract/prices.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { PRICES, pricesOf } from '../../credits/prices/prices.ts';
import { countryProblem } from '../../platform/addresses/phone.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import { recordAction } from '../audit.ts';
import { follow, historyOf, type LiveApp, lockVersion, newestOf, storeValue } from '../settings/settings.ts';

export type PricesApp = LiveApp;

export async function operatorPrices(sql: Queryable): Promise<OperatorPrices> {
  const { value, ...newest } = await newestOf(sql, PRICES);
  return { ...newest, prices: pricesOf(value) };
}

/** Throws `changed_meanwhile`, and a field error for a country without phone numbers. */
export async function changePrices(
  app: PricesApp,
  by: OperatorCaller,
  { version, reason, ...given }: Parsed<typeof updatePrices, 'body'>,
): Promise<OperatorPrices> {
  await app.db.transaction((tx) => store(tx, app, by, { version, reason, change: () => given }));
  return followed(app);
}

/** Replaces the send prices and leaves all other prices unchanged. */
export async function importSendPricesOf(
  app: PricesApp,
  by: OperatorCaller,
  { csv, version, reason }: Parsed<typeof importSendPrices, 'body'>,
): Promise<OperatorPrices> {
  const { sends, problems } = sendPricesFromCsv(csv);
  if (problems.length > 0) throw new FieldErrors({ csv: problems });
  await app.db.transaction((tx) =>
    store(tx, app, by, {
      version,
      reason,
      change: (before) => {
        const checked = PricesBody.safeParse({ ...before, sends, version, reason });
        const issue = checked.error?.issues[0];
        if (issue) throw new FieldErrors({ csv: [issue.message] });
        return { ...before, sends };
      },
    }),
  );
  return followed(app);
}

interface Change {
  version: number;
  reason: string;
  change: (before: PriceList) => PriceList;
}

async function store(
  tx: Tx,
  app: PricesApp,
  by: OperatorCaller,
  { version, reason, change }: Change,
): Promise<void> {
  const before = pricesOf(await lockVersion(tx, PRICES, version));
  const given = change(before);
  requireCountries(given.sends);
  const after: PriceList = {
    base_price_cents: given.base_price_cents,
    minimum_credits: given.minimum_credits,
    bundles: given.bundles.toSorted((a, b) => a.credits - b.credits),
    sends: sortedSendPrices(given.sends),
  };
  await storeValue(tx, app, by, { name: PRICES, value: after });
  await recordAction(tx, app, by, {
    action: 'prices.update',
    subject: 'Prices',
    reason,
    before: differing(before, after),
    after: differing(after, before),
  });
}

function requireCountries(sends: readonly SendPrice[]): void {
  const problems = sends.flatMap(({ country }) => (country === null ? [] : (countryProblem(country) ?? [])));
  if (problems.length > 0) throw new FieldErrors({ sends: problems.slice(0, 1) });
}

const keyOf = (value: unknown): string => JSON.stringify(value);

/** The fields and send prices of the first list that differ from the other list. */
function differing({ sends, ...one }: PriceList, other: PriceList): object {
  const fields = Object.entries(one).filter(
    ([name, value]) => keyOf(value) !== keyOf(other[name as keyof PriceList]),
  );
  const theirs = new Set(other.sends.map(keyOf));
  const own = sends.filter((price) => !theirs.has(keyOf(price)));
  return { ...Object.fromEntries(fields), ...(own.length > 0 ? { sends: own } : {}) };
}

async function followed(app: PricesApp): Promise<OperatorPrices> {
  await follow(app);
  return operatorPrices(app.db);
}

export async function priceChanges(
  sql: Queryable,
  query: Parsed<typeof listPriceChanges, 'query'>,
): Promise<Reply<typeof listPriceChanges>> {
  const { count, changes } = await historyOf(sql, PRICES, query);
  return {
    count,
    results: changes.map(({ value, ...change }) => ({ ...change, prices: pricesOf(value) })),
  };
}

export function priceRoutes(server: Server, app: PricesApp): void {
  serve(server, contract.getOperatorPrices, () => operatorPrices(app.db));
  serve(server, contract.updatePrices, ({ caller, body }) => changePrices(app, caller, body));
  serve(server, contract.listPriceChanges, ({ query }) => priceChanges(app.db, query));
  serve(server, contract.exportSendPrices, async () => ({
    csv: sendPricesToCsv((await operatorPrices(app.db)).prices.sends),
  }));
  serve(server, contract.importSendPrices, ({ caller, body }) => importSendPricesOf(app, caller, body));
}
