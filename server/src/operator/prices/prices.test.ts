import {
  exportSendPrices,
  getOperatorPrices,
  importSendPrices,
  listPriceChanges,
  updatePrices,
} from '@sixdigit/contract/operator/prices.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { DEFAULT_PRICES, type PriceList, type SendPrice } from '@sixdigit/contract/prices.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess, untilSettingsAreRead } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

const REASON = 'New contract with the carrier';

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const alice = fixture(() => sender(service, 'Alice'));

const sms = (more: Partial<SendPrice> = {}): SendPrice => ({
  channel: 'sms',
  country: null,
  credits: 2,
  unit: 'request',
  ...more,
});
const current = async () => (await olivia.call(getOperatorPrices)).body;
const change = async (more: Partial<PriceList>) => {
  const { version, prices } = await current();
  return olivia.call(updatePrices, { body: { ...prices, ...more, version, reason: REASON } });
};
const bring = async (csv: string) =>
  olivia.call(importSendPrices, { body: { csv, version: (await current()).version, reason: REASON } });

describe('prices', () => {
  test('the default prices apply until an operator changes them', async () => {
    expect(await current()).toEqual({
      version: 0,
      changed_at: null,
      changed_by: null,
      prices: DEFAULT_PRICES,
    });
  });

  test('changed prices apply on every process within a second and are in the audit log', async () => {
    const { status, body } = await change({ sends: [sms(), sms({ country: 'US', credits: 4 })] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ changed_by: olivia.email, prices: { base_price_cents: 2 } });
    await untilSettingsAreRead(other);
    const sent = await other.call(sendOtp, {
      apiKey: alice.key(),
      body: { channel: 'sms', recipient: '+14155554001' },
    });
    expect(sent.body.cost_credits).toBe(4);
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'prices.update',
      reason: REASON,
      before: {},
      after: { sends: [sms(), sms({ country: 'US', credits: 4 })] },
    });
  });

  test('the price history is listed newest first', async () => {
    await change({ base_price_cents: 2.5 });
    const { results, count } = (await olivia.call(listPriceChanges)).body;
    expect(count).toBe(2);
    expect(results.map(({ prices, changed_by }) => [prices.base_price_cents, changed_by])).toEqual([
      [2.5, olivia.email],
      [2, olivia.email],
    ]);
  });

  test('saving prices based on outdated ones is refused', async () => {
    const { version, prices } = await current();
    await change({ base_price_cents: 3 });
    const late = await olivia.call(updatePrices, { body: { ...prices, version, reason: REASON } });
    expect(late).toMatchObject({ status: 409, body: { reason: 'changed_meanwhile' } });
    expect((await current()).prices.base_price_cents).toBe(3);
  });

  test('prices for a country without phone numbers are refused', async () => {
    expect(await change({ sends: [sms({ country: 'XX' })] })).toMatchObject({
      status: 400,
      body: { sends: ['XX is no country with phone numbers.'] },
    });
  });
});

describe('a CSV', () => {
  test('importing an exported price CSV replaces only the send prices', async () => {
    await change({ base_price_cents: 4, sends: [sms({ credits: 9 })] });
    const csv = `${(await olivia.call(exportSendPrices)).body.csv}voice,DE,6,request\r\n`;
    const { status, body } = await bring(csv);
    expect(status).toBe(200);
    expect(body.prices).toMatchObject({
      base_price_cents: 4,
      sends: [sms({ credits: 9 }), { channel: 'voice', country: 'DE', credits: 6, unit: 'request' }],
    });
  });

  test('a price CSV with an invalid line changes nothing', async () => {
    const before = await current();
    expect(await bring('channel,country,credits\nsms,,1\nsms,,zero')).toMatchObject({
      status: 400,
      body: { csv: ['Line 3: Credits must be a whole number from 1 to 1,000'] },
    });
    expect(await bring('channel,country,credits\nsms,,1\nsms,,2')).toMatchObject({
      status: 400,
      body: { csv: ['There are two prices for sms.'] },
    });
    expect(await current()).toEqual(before);
  });
});
