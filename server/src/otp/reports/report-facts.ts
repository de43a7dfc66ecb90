import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { maskedNumbers } from '../../platform/security/masks.ts';
import { timeOfUuid } from '../../platform/security/random.ts';
import type { ReportedRow } from '../queries.ts';

/** What a report says besides the delivery. */
export interface ReportedFacts {
  carrier: string;
  account_id: string;
  otp_id: string;
  is_read?: boolean;
  price?: string | null;
  network?: string | null;
}

/** What a message cost at its carrier, by the day of the send. A corrected price takes the earlier one back. */
export interface CarrierCost {
  /** in UTC */
  day: string;
  carrier: string;
  /** '' if unknown */
  country: string;
  /** '' if the carrier does not report it */
  currency: string;
  messages: 1 | -1;
  price: number;
}

/** Some companies report what they took as a negative amount. */
const PRICE = /^-?(\d{1,6}(?:\.\d{1,10})?)(?: ([A-Za-z]{3}))?$/;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const NETWORK_MOST = 40;

/** A text of a stranger. Undefined unless it is an amount of money. */
function moneyIn(text: string | null | undefined): { price: number; currency: string } | undefined {
  const [, amount, code = ''] = PRICE.exec(text ?? '') ?? [];
  const currency = code.toUpperCase();
  return amount === undefined
    ? undefined
    : { price: Number(amount), currency: CURRENCIES.has(currency) ? currency : '' };
}

/** A code such as 310260 stays whole; a number of a phone does not. */
const networkIn = (text: string | null | undefined): string | null =>
  text ? maskedNumbers(text).slice(0, NETWORK_MOST) : null;

/** Stores what a report says about price, network and reading. Call it under the lock of the verification. Returns the new costs. */
export async function noteFacts(tx: Tx, row: ReportedRow, given: ReportedFacts): Promise<CarrierCost[]> {
  const money = moneyIn(given.price);
  const network = networkIn(given.network) ?? row.network;
  const isRead = row.read_at !== null || given.is_read === true;
  const was = row.carrier_price === null ? undefined : Number(row.carrier_price);
  const isNewPrice =
    money !== undefined && (money.price !== was || money.currency !== (row.carrier_currency ?? ''));
  if (!isNewPrice && network === row.network && isRead === (row.read_at !== null)) return [];
  const price = money?.price ?? was ?? null;
  const currency = money ? money.currency || null : row.carrier_currency;
  await tx.run(
    `update verifications set carrier_price = $3, carrier_currency = $4, network = $5,
       read_at = coalesce(read_at, case when $6 then clock_now() end)
     where account_id = $1 and id = $2`,
    [given.account_id, given.otp_id, price, currency, network, isRead],
  );
  if (!isNewPrice) return [];
  const shared = {
    day: new Date(timeOfUuid(given.otp_id)).toISOString().slice(0, 10),
    carrier: given.carrier,
    country: row.country ?? '',
  };
  return [
    ...(was === undefined
      ? []
      : [{ ...shared, currency: row.carrier_currency ?? '', messages: -1 as const, price: -was }]),
    { ...shared, currency: money.currency, messages: 1, price: money.price },
  ];
}

/** What carriers reported of a message besides its delivery. Only operators may see it. */
export interface ReportFacts {
  carrier_price: string | null;
  carrier_currency: string | null;
  network: string | null;
  read_at: string | null;
}

export const selectReportFacts = (sql: Queryable, account_id: string, id: string): Promise<ReportFacts> =>
  sql.one<ReportFacts>(
    `select carrier_price::text, carrier_currency, network, read_at from verifications where account_id = $1 and id = $2`,
    [account_id, id],
  );
