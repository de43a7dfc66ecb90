import { getAccountLimits, NO_LIMITS, updateAccountLimits } from '@sixdigit/contract/operator/limits.ts';
import { getOperatorProtection, updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import { listSettingChanges, listSettings, updateSetting } from '@sixdigit/contract/operator/settings.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { checkDestination, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess, untilSettingsAreRead } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { SETTINGS_EVERY_MS } from '../../settings/live-settings/live-settings.ts';

let count = 0;
const phone = () => `+1415555${5000 + ++count}`;
const REASON = 'Support case';

const service = fixture(() => testService({ env: { RECIPIENT_SENDS_PER_10_MIN: '3' } }));
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));

const setting = async (name: string) => {
  const found = (await olivia.call(listSettings)).body.settings.find((one) => one.name === name);
  if (!found) throw new Error(`No setting ${name}`);
  return found;
};
const change = async (name: string, value: string | null, version?: number) =>
  olivia.call(updateSetting, {
    params: { name },
    body: { value, version: version ?? (await setting(name)).version, reason: REASON },
  });
const sendOn = (process: Pick<TestService, 'call'>, by: Sender, recipient: string) =>
  process.call(sendOtp, {
    apiKey: by.key(),
    body: { channel: recipient.includes('@') ? 'email' : 'sms', recipient },
  });

describe('a setting', () => {
  test('a setting overrides the environment on every process within a second, until it is set to null', async () => {
    const alice = await sender(service, 'Alice');
    const recipient = phone();
    for (let n = 0; n < 3; n++) expect((await sendOn(other, alice, recipient)).status).toBe(201);
    expect((await sendOn(other, alice, recipient)).status).toBe(429);
    const changed = await change('RECIPIENT_SENDS_PER_10_MIN', '4');
    expect(changed.body).toMatchObject({ environment: '3', override: '4', changed_by: olivia.email });
    await untilSettingsAreRead(other);
    expect(SETTINGS_EVERY_MS).toBeLessThan(1_000);
    expect((await sendOn(other, alice, recipient)).status).toBe(201);
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'setting.update',
      reason: REASON,
      before: { value: null, environment: '3' },
      after: { value: '4', environment: '3' },
    });
    expect((await change('RECIPIENT_SENDS_PER_10_MIN', null)).body).toMatchObject({ override: null });
    expect(service.app.config.recipientSendsPer10Min).toBe(3);
    const history = await olivia.call(listSettingChanges, { params: { name: 'RECIPIENT_SENDS_PER_10_MIN' } });
    expect(history.body.results.map(({ value }) => value)).toEqual([null, '4']);
  });

  test('a new rate limit for dashboard calls applies to the next call', async () => {
    const limit = async () => (await olivia.call(listSettings)).headers['ratelimit-limit'];
    expect(await limit()).toBe('1000000');
    await change('DASHBOARD_REQUESTS_PER_SECOND', '900000');
    expect(await limit()).toBe('900000');
  });

  test('extra prefixes allow codes to a new area code, under the same rules as other numbers', async () => {
    const alice = await sender(service, 'Nova');
    const recipient = '(699) 555-2671';
    expect((await sendOn(service, alice, recipient)).body).toEqual({
      recipient: ['Enter a valid phone number, such as +14155552671.'],
    });
    expect((await change('EXTRA_PHONE_PREFIXES', '+1')).body).toMatchObject({
      value: [
        'EXTRA_PHONE_PREFIXES must be prefixes with at least two digits after the country code, such as +1999.',
      ],
    });
    expect((await change('EXTRA_PHONE_PREFIXES', '+1 (699), +4479999')).status).toBe(200);
    const sent = await sendOn(service, alice, recipient);
    expect(sent).toMatchObject({ status: 201, body: { recipient: '+16995552671' } });
    const row = await service.app.db.one('select country from verifications where recipient = $1', [
      '+16995552671',
    ]);
    expect(row).toEqual({ country: 'US' });
    const deny = [{ kind: 'number' as const, value: '(+1) 699 555 2673' }];
    const bearer = await signedIn(service, alice);
    expect((await service.call(updateProtection, { bearer, body: { deny } })).status).toBe(200);
    expect((await sendOn(service, alice, '(699) 555-2673')).body).toMatchObject({
      reason: 'destination_blocked',
    });
    await change('EXTRA_PHONE_PREFIXES', null);
    expect((await sendOn(service, alice, '(699) 555-2672')).status).toBe(400);
  });

  test('an invalid setting is refused with the same message as at the start', async () => {
    expect(await change('SMS_MAX_SEGMENTS', '11')).toMatchObject({
      status: 400,
      body: { value: ['SMS_MAX_SEGMENTS must be at most 10.'] },
    });
    expect((await setting('SMS_MAX_SEGMENTS')).override).toBeNull();
  });

  test('a startup setting or a secret cannot be changed', async () => {
    for (const name of ['SECRET_KEY', 'DATABASE_URL', 'RETENTION_DAYS', 'NO_SUCH_SETTING'])
      expect((await change(name, '1', 0)).status).toBe(404);
    expect((await olivia.call(listSettings)).body.settings.map(({ name }) => name)).not.toContain(
      'SECRET_KEY',
    );
    expect((await olivia.call(listSettingChanges, { params: { name: 'SECRET_KEY' } })).status).toBe(404);
  });

  test('saving a setting based on an outdated value is refused', async () => {
    const { version } = await setting('OWN_SMS_PER_HOUR');
    await change('OWN_SMS_PER_HOUR', '300');
    expect(await change('OWN_SMS_PER_HOUR', '400', version)).toMatchObject({
      status: 409,
      body: { reason: 'changed_meanwhile' },
    });
    expect(service.app.config.ownSmsPerHour).toBe(300);
  });
});

describe('the limits of an account', () => {
  const limit = (id: string, limits: object) =>
    olivia.call(updateAccountLimits, { params: { id }, body: { ...NO_LIMITS, ...limits, reason: REASON } });

  test('an account has no operator limits until an operator sets them, and every change is in the audit log', async () => {
    const bob = await sender(service, 'Bob');
    const params = { id: bob.account_id };
    expect((await olivia.call(getAccountLimits, { params })).body).toEqual({
      version: 0,
      limits: NO_LIMITS,
      changed_at: null,
      changed_by: null,
    });
    const { body } = await limit(bob.account_id, { requests_per_second: 5 });
    expect(body).toMatchObject({ limits: { requests_per_second: 5 }, changed_by: olivia.email });
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'account.limits',
      before: NO_LIMITS,
      after: { ...NO_LIMITS, requests_per_second: 5 },
    });
    const { version } = body;
    expect((await limit(bob.account_id, { version, requests_per_second: 6 })).status).toBe(200);
    expect(await limit(bob.account_id, { version, requests_per_second: 7 })).toMatchObject({
      status: 409,
      body: { reason: 'changed_meanwhile' },
    });
  });

  test('the operator limits of an account cover its requests, recipients, countries and spending on every process', async () => {
    const [carol, dave] = [await sender(service, 'Carol'), await sender(service, 'Dave')];
    await limit(carol.account_id, {
      requests_per_second: 7,
      recipient_sends_per_10_min: 1,
      countries: ['CA'],
      daily_credit_limit: 3,
    });
    await other.app.live.refresh();
    const first = await sendOn(other, carol, 'one@example.com');
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '7', 'x-spend-limit-remaining': '2' });
    expect((await sendOn(other, carol, 'one@example.com')).status).toBe(429);
    expect((await sendOn(other, carol, phone())).status).toBe(400);
    expect((await sendOn(other, carol, '+16135550123')).status).toBe(201);
    expect((await sendOn(other, carol, 'two@example.com')).status).toBe(201);
    expect(await sendOn(other, carol, 'three@example.com')).toMatchObject({
      status: 402,
      body: { reason: 'spend_limit_reached' },
    });
    expect((await sendOn(other, dave, phone())).headers['ratelimit-limit']).toBe('30');
  });

  test('a trusted account is exempt from the rules, but not from its deny list or the operators’', async () => {
    const gina = await sender(service, 'Gina');
    const bearer = await signedIn(service, gina);
    const [own, everywhere, free] = ['+14165550', '+15145550', '+16045550'];
    const rules = { prefix_velocity: { mode: 'enforce' as const, limit: 5 } };
    const deny = [{ kind: 'prefix' as const, value: own }];
    const set = await service.call(updateProtection, { bearer, body: { rules, deny } });
    expect(set.status).toBe(200);
    const { body } = await olivia.call(getOperatorProtection);
    await olivia.call(updateOperatorProtection, {
      body: { deny: [{ kind: 'prefix', value: everywhere }], updated_at: body.updated_at, reason: REASON },
    });
    const sends = async (prefix: string) =>
      (await sendOn(service, gina, `${prefix}10${++count % 10}`)).status;
    const checked = async (prefix: string) =>
      (await service.call(checkDestination, { apiKey: gina.key(), body: { recipient: `${prefix}999` } })).body
        .decision;
    for (let n = 0; n < 5; n++) await sends(free);
    expect([await sends(free), await checked(free)]).toEqual([400, 'blocked']);
    await limit(gina.account_id, { is_trusted: true });
    expect([await sends(free), await checked(free)]).toEqual([201, 'allowed']);
    for (const denied of [own, everywhere])
      expect([await sends(denied), await checked(denied)]).toEqual([400, 'blocked']);
    await limit(gina.account_id, { is_trusted: true, countries: ['US'] });
    const foreign = await service.call(checkDestination, {
      apiKey: gina.key(),
      body: { recipient: `${free}999` },
    });
    expect(foreign.status).toBe(400);
  });

  test('the operator limits of an account end when an operator removes them', async () => {
    const erin = await sender(service, 'Erin');
    await limit(erin.account_id, { daily_credit_limit: 1 });
    await sendOn(service, erin, phone());
    expect((await sendOn(service, erin, phone())).status).toBe(402);
    await limit(erin.account_id, {});
    expect((await sendOn(service, erin, phone())).status).toBe(201);
  });

  test('contradictory operator limits, and limits for an unknown country, are refused', async () => {
    const fay = await sender(service, 'Fay');
    expect((await limit(fay.account_id, { countries: ['XX'] })).body).toMatchObject({
      countries: ['XX is no country with phone numbers.'],
    });
    const both = { recipient_sends_per_10_min: 5, recipient_sends_per_day: 4 };
    expect((await limit(fay.account_id, both)).status).toBe(400);
    expect((await limit('no-account', {})).status).toBe(404);
  });
});
