import {
  type CarrierRecord,
  MAIL_MEANINGS,
  type StatusMeaning,
} from '@sixdigit/contract/operator/carrier-record.ts';
import type { CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { CarrierReport, InboundText } from '../../carrier.ts';
import { MAIL_STATES, shownWords } from '../../mail-event.ts';
import { parsed } from '../../post.ts';
import { at, codeOf, firstShort, isShownCode, itemsAt, listed, ofKey, short, shortValues } from './paths.ts';

type Reports = NonNullable<CarrierRecord['reports']>;
type Inbound = NonNullable<CarrierRecord['inbound']>;

/** More reports in one request are ignored; companies send up to 100. */
const MOST_REPORTS = 500;

/** What a status says about the delivery. */
export const STATES = {
  delivered: 'delivered',
  read: 'delivered',
  failed: 'undelivered',
  sent: 'sent',
  other: 'other',
  ...MAIL_STATES,
} as const satisfies Record<StatusMeaning, CarrierReport['state']>;

/** The items of a request that are about what the record names. */
function itemsOf(
  given: unknown,
  { json, list, only = {} }: Pick<Reports, 'json' | 'list' | 'only'>,
): unknown[] {
  const body = json === undefined ? given : parsed(String(at(given, json)));
  const items = list === undefined ? [body] : itemsAt(body, list);
  return items
    .slice(0, MOST_REPORTS)
    .filter((item) =>
      Object.entries(only).every(([path, allowed]) => allowed.includes(short(at(item, path)) ?? '')),
    );
}

/** The delivery reports in a request. A status that the record does not map has the state `unknown`, which changes nothing. */
export const reportsOf = (kind: CarrierKind, record: Reports, body: unknown): CarrierReport[] =>
  itemsOf(body, record).map((item) => {
    const statuses = shortValues(item, record.status);
    const status = statuses.find((one) => ofKey(record.statuses, one) !== undefined) ?? statuses[0] ?? null;
    const meaning = status === null ? undefined : ofKey(record.statuses, status);
    const state = meaning ? STATES[meaning] : 'unknown';
    const mail = MAIL_MEANINGS.find((one) => one === meaning);
    const isRefunded = firstShort(item, record.is_refunded) === 'true';
    const price = isRefunded ? '0' : firstShort(item, record.price);
    const currency = firstShort(item, record.currency);
    return {
      provider_message_id: firstShort(item, record.id),
      otp_id: firstShort(item, record.our_id),
      reference: firstShort(item, record.reference),
      status,
      state,
      is_read: meaning === 'read',
      ...(mail && { mail, detail: firstWords(item, record.words) }),
      reason: state === 'undelivered' ? reasonOf(kind, record, { item, status }) : null,
      price: price && currency ? `${price} ${currency}` : price,
      network: firstShort(item, record.network),
    };
  });

const firstWords = (item: unknown, paths: Reports['words']): string | null =>
  listed(paths).reduce<string | null>((found, path) => found ?? shownWords(at(item, path)), null);

function reasonOf(
  kind: CarrierKind,
  { error, reasons }: Reports,
  { item, status }: { item: unknown; status: string | null },
): string {
  const codes = shortValues(item, error).map(codeOf);
  const known = codes.flatMap((code) => ofKey(reasons, code) ?? []);
  const shown = codes.find((code) => isShownCode(kind, code));
  return known[0] ?? stable(shown && shown !== '0' ? `${kind}_${shown}` : (status ?? 'failed'));
}

/** In snake_case, as customers see it. */
const stable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 64);

const LONGEST_TEXT = 2_000;

export const inboundTextsOf = (record: Inbound, body: unknown): InboundText[] =>
  itemsOf(body, record).flatMap((item) => {
    const from = firstShort(item, record.from);
    const [text] = [record.text]
      .flat()
      .map((path) => at(item, path))
      .filter((one) => typeof one === 'string');
    if (from === null || text === undefined) return [];
    // Several companies omit the plus of a number.
    const sender = /^[1-9]\d{6,14}$/.test(from) ? `+${from}` : from;
    return [{ from: sender, to: firstShort(item, record.to), body: text.slice(0, LONGEST_TEXT) }];
  });
