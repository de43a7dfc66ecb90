/** The one form of percentages, signs and counts on every screen. An architecture test finds those that are formatted by hand. */

/** '1 send', '1,200 sends' */
export const countOf = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

/** '32%', '87.5%', '<0.1%'; a dash without a value */
export function percent(share: number | null): string {
  if (share === null) return '–';
  if (share > 0 && share < 0.001) return '<0.1%';
  return share.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
}

/** The share of a part as text; a dash if there is no whole. */
export const percentOf = (part: number, whole: number): string => percent(whole === 0 ? null : part / whole);

/** The sign before an amount: '+', '−' or nothing */
export const signOf = (value: number): string => (value > 0 ? '+' : value < 0 ? '−' : '');

/** '+1,200', '−1', '0' */
export const signed = (value: number): string => `${signOf(value)}${Math.abs(value).toLocaleString('en-US')}`;

const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** '$1,012.50' */
export const dollars = (cents: number): string => usd.format(cents / 100);
