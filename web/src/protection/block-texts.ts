import type { Block, ListEntry, ListKind } from '@sixdigit/contract/protection/protection.ts';
import { countryName } from '../ui/display-names.ts';
import { phoneFormat } from '../ui/phone-numbers.ts';

/** The components call `usePhoneFormat`, which loads the format. */
const grouped = (digits: string): string => phoneFormat()(digits);

/** '+1 415 555…' */
export const prefixText = (prefix: string): string => `${grouped(prefix)}…`;

/** '+1 415 555… in United States', '203.0.113.7', 'Germany' */
export function blockDestination({ client, rule, prefix, country }: Block): string {
  if (client !== null) return client;
  if (rule === 'country' && country !== null) return countryName(country);
  return country === null ? prefixText(prefix) : `${prefixText(prefix)} in ${countryName(country)}`;
}

/** A unique key for a row. */
export const blockKey = ({ rule, scope, prefix, country, client }: Block): string =>
  [rule, scope, prefix, country, client].join(' ');

export const KIND_NAMES: Record<ListKind, string> = {
  number: 'Number',
  prefix: 'Prefix',
  address: 'IP address',
  country: 'Country',
};

/** An entry's value as text for users. */
export const entryText = ({ kind, value }: Pick<ListEntry, 'kind' | 'value'>): string => {
  if (kind === 'country') return countryName(value);
  return kind === 'prefix' ? prefixText(value) : grouped(value);
};

const sends = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, { blocked, monitored }) => sum + blocked + monitored, 0);

/** The blocks that one entry of the allow list would end, together. Most sends come first, then the newest, as in the list. */
export function groupsOf(blocks: readonly Block[]): Block[][] {
  const groups = new Map<string, Block[]>();
  for (const block of blocks) {
    const key = block.allow ? `${block.allow.kind} ${block.allow.value}` : blockKey(block);
    groups.set(key, [...(groups.get(key) ?? []), block]);
  }
  return [...groups.values()]
    .map((group) => group.toSorted((one, other) => sends([other]) - sends([one])))
    .sort((one, other) => sends(other) - sends(one));
}
