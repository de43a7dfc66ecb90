import { findOptOut, removeOptOut } from '@sixdigit/contract/operator/opt-outs.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { testService } from '../../../test/service.ts';
import { optOut, optOutFingerprint } from '../../messaging/opt-outs/opt-outs.ts';

const service = fixture(testService);
const olivia = fixture(() => testOperator(service));
const sam = fixture(() => testOperator(service, { role: 'support', name: 'Sam' }));

const NUMBER = '+14155552699';
const find = (phone_number: string) => sam.call(findOptOut, { body: { phone_number } });

test('an operator looks up an opt-out by a number in any notation and removes it with a reason', async () => {
  expect((await find(NUMBER)).body).toEqual({
    phone_number: NUMBER,
    is_opted_out: false,
    opted_out_at: null,
  });
  await optOut(service.app.db, optOutFingerprint(service.app, NUMBER));
  expect((await find('(415) 555-2699')).body).toMatchObject({ phone_number: NUMBER, is_opted_out: true });

  const removal = { body: { phone_number: NUMBER, reason: 'Asked by the owner' } };
  expect((await olivia.call(removeOptOut, removal)).status).toBe(204);
  expect((await find(NUMBER)).body.is_opted_out).toBe(false);
  expect((await olivia.call(removeOptOut, removal)).status).toBe(404);
  const { subject } = await service.app.db.one<{ subject: string }>(
    `select subject from operator_actions where action = 'opt_out.remove'`,
  );
  expect(subject).not.toContain('5552');
  expect((await auditOf(service)).at(-1)).toMatchObject({
    reason: 'Asked by the owner',
    after: { opted_out_at: null },
  });
});

test('looking up an opt-out requires a phone number', async () => {
  expect((await find('alice@example.com')).body).toMatchObject({
    phone_number: ['Please enter a valid phone number'],
  });
});
