import { getOperatorProtection, updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test, vi } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { testService } from '../../../test/service.ts';

const REASON = 'Pumping';

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const alice = fixture(() => service.customer('Alice'));

const read = async () => (await olivia.call(getOperatorProtection)).body;

test('a deployment-wide rule applies on every process with its next reading, a second later, and is in the audit log with old and new values', async () => {
  const { updated_at } = await read();
  const { status, body } = await olivia.call(updateOperatorProtection, {
    body: {
      rules: { prefix_velocity: { mode: 'enforce', limit: 60 } },
      deny: [
        { kind: 'prefix', value: '+1415777' },
        { kind: 'number', value: '+14155550199' },
      ],
      updated_at,
      reason: REASON,
    },
  });
  expect(status).toBe(200);
  expect(body.rules.prefix_velocity).toEqual({ mode: 'enforce', limit: 60 });
  const send = () =>
    other.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'sms', recipient: '+14157770123' } });
  // The process reads the rules every second.
  const rows = vi.spyOn(other.app.db, 'rows');
  const reading = () => rows.mock.calls.findIndex(([text]) => text.includes('from protection_settings'));
  await expect.poll(reading).toBeGreaterThanOrEqual(0);
  await rows.mock.results[reading()]?.value;
  rows.mockRestore();
  expect((await send()).body).toMatchObject({ reason: 'destination_blocked', blocked_by: ['deny_list'] });
  const entry = (await auditOf(service)).at(-1);
  expect(entry).toMatchObject({
    action: 'protection.update',
    reason: REASON,
    before: { rules: { prefix_velocity: { mode: 'monitor', limit: 100 } }, deny: [] },
    after: { rules: { prefix_velocity: { mode: 'enforce', limit: 60 } } },
  });
  expect(JSON.stringify(entry)).not.toContain('4155550199');
});

test('saving lists based on outdated ones is refused', async () => {
  const { updated_at } = await read();
  const change = (body: object) =>
    olivia.call(updateOperatorProtection, { body: { ...body, reason: REASON } });
  expect((await change({ deny: [], updated_at })).status).toBe(200);
  expect(await change({ deny: [], updated_at: '2020-01-01T00:00:00.000Z' })).toMatchObject({
    status: 409,
    body: { reason: 'changed_meanwhile' },
  });
  expect((await change({ deny: [] })).status).toBe(400);
});

test('a protection threshold outside the bounds is refused and changes nothing', async () => {
  const before = await read();
  const { status } = await olivia.call(updateOperatorProtection, {
    body: { rules: { prefix_velocity: { limit: 999_999_999 } }, reason: REASON },
  });
  expect(status).toBe(400);
  expect((await read()).rules).toEqual(before.rules);
});
