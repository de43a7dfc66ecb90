import { getOperatorPrices, listPriceChanges } from '@sixdigit/contract/operator/prices.ts';
import type { PriceList, SendPrice } from '@sixdigit/contract/prices.ts';
import { read, readPage } from '../../api/read.ts';
import { count } from '../../payments/prices.ts';
import { countryText } from '../../payments/send-prices.ts';
import { labelOf } from '../../ui/channel.ts';
import { percent, signOf } from '../../ui/numbers.ts';

/** A refetch would discard the form's unsaved changes. */
export const prices = read(getOperatorPrices, {}, { refetchOnWindowFocus: false });

export const priceChanges = (page: number) => readPage(listPriceChanges, { query: { page, page_size: 5 } });

const textOf = ({ channel, country, credits, unit }: SendPrice): string =>
  `${labelOf(channel)}${country ? ` to ${countryText(country)}` : ''}: ${count(credits)} per ${unit}`;

/** The titles of the panels with differences. */
export const changedPanels = (before: PriceList, after: PriceList): string =>
  [
    { title: 'Credits', changed: { ...after, sends: before.sends } },
    { title: 'Message prices', changed: { ...before, sends: after.sends } },
  ]
    .filter(({ changed }) => differences(before, changed).length > 0)
    .map(({ title }) => title)
    .join(' and ');

/** The differences between two price lists, as text. */
export function differences(before: PriceList, after: PriceList): string[] {
  const found: string[] = [];
  if (before.base_price_cents !== after.base_price_cents)
    found.push(`Credit: ${before.base_price_cents} → ${after.base_price_cents} cents`);
  if (before.minimum_credits !== after.minimum_credits)
    found.push(`Smallest purchase: ${before.minimum_credits} → ${count(after.minimum_credits)}`);
  if (JSON.stringify(before.bundles) !== JSON.stringify(after.bundles))
    found.push(
      `Bundles: ${after.bundles.map(({ credits, discount }) => `${credits.toLocaleString('en-US')} ${signOf(-discount)}${percent(discount / 100)}`).join(', ')}`,
    );
  const [old, now] = [before.sends.map(textOf), after.sends.map(textOf)];
  return [
    ...found,
    ...now.filter((text) => !old.includes(text)),
    ...old.filter((text) => !now.includes(text)).map((text) => `Removed: ${text}`),
  ];
}
