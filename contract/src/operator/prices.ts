import { z } from 'zod';
import { CHANNELS, factsOf } from '../channels.ts';
import { optionalTime } from '../field.ts';
import { CUSTOM_CREDITS } from '../payments.ts';
import { Bundle, LEAST_PAYMENT_CENTS, PriceList, purchasePriceOf, SendPrice } from '../prices.ts';
import { csvRow } from '../text/csv.ts';
import { adminRoute, historyOf, reason, supportRoute } from './operator.ts';

/** 0.5 cents: the smallest auto-purchase, 100 credits, must reach the card networks' minimum. */
export const BASE_PRICE = { min: 0.5, max: 999 } as const;
/** At most the smallest auto-purchase. */
export const MINIMUM_CREDITS = { min: 1, max: 100 } as const;
export const BUNDLES_MOST = 12;
export const SEND_PRICES_MOST = 1_000;
const CSV_MOST = 100_000;

const BASE_MESSAGE = 'Enter US cents from 0.5 to 999, with at most two decimals.';
const basePrice = z
  .number({ error: BASE_MESSAGE })
  .min(BASE_PRICE.min, BASE_MESSAGE)
  .max(BASE_PRICE.max, BASE_MESSAGE)
  .refine((cents) => Math.abs(cents * 100 - Math.round(cents * 100)) < 1e-6, BASE_MESSAGE);
const MINIMUM_MESSAGE = `Enter a whole number of credits from 1 to ${MINIMUM_CREDITS.max}.`;
const minimum = z
  .number({ error: MINIMUM_MESSAGE })
  .int(MINIMUM_MESSAGE)
  .min(MINIMUM_CREDITS.min, MINIMUM_MESSAGE)
  .max(MINIMUM_CREDITS.max, MINIMUM_MESSAGE);
const BUNDLE_MESSAGE = 'Enter whole numbers: credits from 1 to 100,000 and a discount from 0 to 90 percent.';
const bundle = z.object({
  credits: Bundle.shape.credits
    .int(BUNDLE_MESSAGE)
    .min(CUSTOM_CREDITS.min, BUNDLE_MESSAGE)
    .max(CUSTOM_CREDITS.max, BUNDLE_MESSAGE),
  discount: z.number(BUNDLE_MESSAGE).int(BUNDLE_MESSAGE).min(0, BUNDLE_MESSAGE).max(90, BUNDLE_MESSAGE),
  popular: Bundle.shape.popular,
});

/** Checks a price list as a whole. Returns its errors by field. */
function problemsOf({
  base_price_cents,
  minimum_credits,
  bundles,
  sends,
}: PriceList): [keyof PriceList, string][] {
  const problems: [keyof PriceList, string][] = [];
  const byCredits = bundles.toSorted((a, b) => a.credits - b.credits);
  const list = { base_price_cents, minimum_credits, bundles: byCredits, sends };
  const sold = [minimum_credits, ...byCredits.map(({ credits }) => credits)];
  if (
    sold.some(
      (credits) =>
        credits >= minimum_credits && purchasePriceOf(list, credits).price_usd_cents < LEAST_PAYMENT_CENTS,
    )
  )
    problems.push([
      'minimum_credits',
      'Every purchase must cost at least $0.50, the minimum of the card networks.',
    ]);
  if (byCredits.some(({ credits }, n) => byCredits[n - 1]?.credits === credits))
    problems.push(['bundles', 'Two bundles have the same number of credits.']);
  if (byCredits.some(({ credits }) => credits < minimum_credits))
    problems.push(['bundles', 'A bundle is smaller than the smallest purchase.']);
  if (byCredits.some(({ discount }, n) => discount < (byCredits[n - 1]?.discount ?? 0)))
    problems.push(['bundles', 'A larger bundle must not have a smaller discount.']);
  if (bundles.filter(({ popular }) => popular).length > 1)
    problems.push(['bundles', 'Only one bundle can be the most popular.']);
  const keys = sends.map(({ channel, country }) => `${channel} ${country ?? ''}`);
  const twice = keys.find((key, n) => keys.indexOf(key) !== n);
  if (twice !== undefined) problems.push(['sends', `There are two prices for ${twice.trim()}.`]);
  const wrongUnit = sends.find(
    ({ channel, unit }) => unit === 'segment' && factsOf(channel).format !== 'text',
  );
  if (wrongUnit) problems.push(['sends', 'Only SMS prices can be per segment.']);
  if (sends.some(({ channel, country }) => country !== null && factsOf(channel).recipient !== 'phone'))
    problems.push(['sends', 'Email prices cannot have a country.']);
  return problems;
}

const given = {
  base_price_cents: basePrice,
  minimum_credits: minimum,
  bundles: z
    .array(bundle)
    .min(1, 'Offer at least one bundle.')
    .max(BUNDLES_MOST, `At most ${BUNDLES_MOST} bundles`),
  sends: z.array(SendPrice).max(SEND_PRICES_MOST, `At most ${SEND_PRICES_MOST} message prices`),
};
const version = z
  .number()
  .int()
  .min(0)
  .meta({ description: 'The version that was read, so that no change by another operator is overwritten' });

/** Prices that can be stored. */
export const PricesBody = z.object({ ...given, version, reason }).check((context) => {
  for (const [field, message] of problemsOf(context.value))
    context.issues.push({ code: 'custom', path: [field], message, input: context.value[field] });
});

export const OperatorPrices = z.object({
  version: z.number().int().meta({ description: '0 before the first change' }),
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
  prices: PriceList,
});
export type OperatorPrices = z.infer<typeof OperatorPrices>;

export const getOperatorPrices = supportRoute('prices:read', 'GET /operator/prices/', {
  name: 'getOperatorPrices',
  summary: 'Credit prices and message prices',
  reply: OperatorPrices,
});
export const updatePrices = adminRoute('prices:write', 'PUT /operator/prices/', {
  name: 'updatePrices',
  summary: 'Change the prices',
  description:
    'Every process applies the change within a second. A send costs the price at the time of its response, and its refund returns the same amount. A purchase that was quoted another price is refused with `price_changed`.',
  body: PricesBody,
  reply: OperatorPrices,
  failures: ['changed_meanwhile'],
});
export const listPriceChanges = supportRoute('prices:read', 'GET /operator/prices/history/', {
  name: 'listPriceChanges',
  summary: 'Every change of the prices, newest first',
  ...historyOf({ prices: PriceList }),
});

// ── CSV ──

export const exportSendPrices = supportRoute('prices:read', 'GET /operator/prices/csv/', {
  name: 'exportSendPrices',
  summary: 'Message prices as CSV: channel,country,credits,unit',
  reply: z.object({ csv: z.string() }),
});
export const importSendPrices = adminRoute('prices:write', 'PUT /operator/prices/csv/', {
  name: 'importSendPrices',
  summary: 'Replace the message prices with those of a CSV file',
  description:
    'The first line names the columns channel, country, credits and unit in any order. An empty country means every country without its own price, and an empty unit means request. If any line is invalid, nothing changes.',
  body: z.object({
    csv: z.string().min(1, 'Choose a file').max(CSV_MOST, 'The file is too large'),
    version,
    reason,
  }),
  reply: OperatorPrices,
  failures: ['changed_meanwhile'],
});

const COLUMNS = ['channel', 'country', 'credits', 'unit'] as const;

export const sendPricesToCsv = (sends: readonly SendPrice[]): string =>
  [COLUMNS, ...sends.map((price) => COLUMNS.map((column) => price[column]))].map(csvRow).join('');

const NAMED_MOST = 5;

/** Reads a CSV with commas, semicolons or tabs. Problems name their lines. */
export function sendPricesFromCsv(csv: string): { sends: SendPrice[]; problems: string[] } {
  const lines = csv.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const separator = [',', ';', '\t'].find((one) => lines[0]?.includes(one)) ?? ',';
  const cellsOf = (line: string) =>
    line.split(separator).map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .trim(),
    );
  const header = cellsOf(lines[0] ?? '').map((name) => name.toLowerCase());
  const missing = COLUMNS.filter((name) => name !== 'unit' && !header.includes(name));
  if (missing.length > 0)
    return { sends: [], problems: [`The first line must name the column ${missing[0]}.`] };
  const problems: string[] = [];
  const sends: SendPrice[] = [];
  for (const [n, line] of lines.entries()) {
    if (n === 0 || line.trim() === '') continue;
    const cells = cellsOf(line);
    const cell = (name: (typeof COLUMNS)[number]) => cells[header.indexOf(name)] ?? '';
    const parsed = SendPrice.safeParse({
      channel: cell('channel').toLowerCase(),
      country: cell('country') === '' || cell('country') === '*' ? null : cell('country'),
      credits: /^\d+$/.test(cell('credits')) ? Number(cell('credits')) : Number.NaN,
      unit: cell('unit').toLowerCase() || 'request',
    });
    if (parsed.success) sends.push(parsed.data);
    else problems.push(`Line ${n + 1}: ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
  }
  const more = problems.length - NAMED_MOST;
  return {
    sends,
    problems: more > 0 ? [...problems.slice(0, NAMED_MOST), `${more} more lines are invalid.`] : problems,
  };
}

/** Sorts by channel, with the price for all countries first. */
export const sortedSendPrices = (sends: readonly SendPrice[]): SendPrice[] =>
  sends.toSorted(
    (a, b) =>
      CHANNELS.indexOf(a.channel) - CHANNELS.indexOf(b.channel) ||
      (a.country ?? '').localeCompare(b.country ?? ''),
  );
