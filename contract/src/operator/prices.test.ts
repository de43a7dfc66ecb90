import { expect, test } from 'vitest';
import { costOf, DEFAULT_PRICES, type SendPrice } from '../prices.ts';
import { PricesBody, sendPricesFromCsv, sendPricesToCsv } from './prices.ts';

const price = (more: Partial<SendPrice> = {}): SendPrice => ({
  channel: 'sms',
  country: null,
  credits: 2,
  unit: 'request',
  ...more,
});
const problemsOf = (more: object): string[] => {
  const { error } = PricesBody.safeParse({ ...DEFAULT_PRICES, version: 0, reason: 'Costs', ...more });
  return (error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`);
};

test('the default prices are valid', () => {
  expect(problemsOf({})).toEqual([]);
});

test.each([
  [
    { base_price_cents: 1.234 },
    'base_price_cents: Enter US cents from 0.5 to 999, with at most two decimals.',
  ],
  [{ base_price_cents: 0.4 }, 'base_price_cents: Enter US cents from 0.5 to 999, with at most two decimals.'],
  [
    { minimum_credits: 24 },
    'minimum_credits: Every purchase must cost at least $0.50, the minimum of the card networks.',
  ],
  [
    { bundles: [{ credits: 100, discount: 80, popular: false }] },
    'minimum_credits: Every purchase must cost at least $0.50, the minimum of the card networks.',
  ],
  [
    {
      bundles: [
        { credits: 100, discount: 5, popular: false },
        { credits: 200, discount: 4, popular: false },
      ],
    },
    'bundles: A larger bundle must not have a smaller discount.',
  ],
  [
    {
      bundles: [
        { credits: 100, discount: 5, popular: true },
        { credits: 100, discount: 5, popular: true },
      ],
    },
    'bundles: Two bundles have the same number of credits.',
  ],
  [{ sends: [price(), price({ credits: 3 })] }, 'sends: There are two prices for sms.'],
  [{ sends: [price({ channel: 'voice', unit: 'segment' })] }, 'sends: Only SMS prices can be per segment.'],
  [{ sends: [price({ channel: 'email', country: 'DE' })] }, 'sends: Email prices cannot have a country.'],
])('prices with %j are refused', (more, problem) => {
  expect(problemsOf(more)).toContain(problem);
});

test('send prices exported as CSV are unchanged after an import', () => {
  const sends = [price(), price({ country: 'DE', credits: 7, unit: 'segment' }), price({ channel: 'email' })];
  expect(sendPricesFromCsv(sendPricesToCsv(sends))).toEqual({ sends, problems: [] });
});

test('a price CSV may have a byte order mark, semicolons, quotes, any column order and no unit', () => {
  expect(sendPricesFromCsv('\uFEFF"Credits";"Country";"Channel"\r\n"4";"de";"SMS"\r\n\r\n3;*;voice')).toEqual(
    {
      sends: [price({ credits: 4, country: 'DE' }), price({ channel: 'voice', credits: 3 })],
      problems: [],
    },
  );
});

test('the errors for a price CSV name the invalid lines', () => {
  const { problems } = sendPricesFromCsv(
    'channel,country,credits,unit\nsms,,1.5,request\nfax,,1,\nsms,Germany,1,',
  );
  expect(problems).toEqual([
    'Line 2: Credits must be a whole number from 1 to 1,000',
    'Line 3: Channel must be one of: sms, voice, email, whatsapp, telegram.',
    'Line 4: Enter a two-letter country code, such as US.',
  ]);
  expect(sendPricesFromCsv('a,b\n').problems).toEqual(['The first line must name the column channel.']);
});

test('a send costs the country price, otherwise the channel price, otherwise one credit', () => {
  const sends = [price({ credits: 3 }), price({ country: 'DE', credits: 5, unit: 'segment' })];
  const cost = (channel: SendPrice['channel'], country: string | null) =>
    costOf(sends, { channel, country, segments: 2 });
  expect([cost('sms', 'DE'), cost('sms', 'US'), cost('sms', null), cost('voice', 'DE')]).toEqual([
    10, 3, 3, 1,
  ]);
});
