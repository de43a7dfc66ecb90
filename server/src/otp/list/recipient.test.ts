import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { EVENTS_A_PAGE, getRecipient } from '@sixdigit/contract/recipients.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Customer, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { optOut } from '../../messaging/opt-outs/opt-outs.ts';

const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: 'US,DE' } }));
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));

const send = (of: Customer, recipient: string) =>
  service.call(sendOtp, {
    apiKey: of.api_key,
    body: { channel: recipient.includes('@') ? 'email' : 'sms', recipient },
  });
const ask = async (recipient: string, { of = alice, before }: { of?: Customer; before?: string } = {}) => {
  await service.app.requestLog.flush();
  const query = { recipient, ...(before ? { before } : {}) };
  return service.call(getRecipient, { bearer: await signedIn(service, of), query });
};
const historyOf = async (...asked: Parameters<typeof ask>) => {
  const { status, body } = await ask(...asked);
  expect(status).toBe(200);
  return body;
};

test('one recipient’s history is found by every spelling of a number or an e-mail address', async () => {
  const german = (await send(alice, '+4915123456789')).body.otp_id;
  const mail = (await send(alice, 'reader@example.com')).body.otp_id;
  const american = (await send(alice, '+14155550131')).body.otp_id;
  const spellings: [string, string][] = [
    ['+49 151 2345-6789', german],
    ['0049 151 23456789', german],
    ['4915123456789', german],
    ['(415) 555-0131', american],
    ['1 415 555 0131', american],
    ['  Reader@Example.COM ', mail],
  ];
  for (const [text, otp_id] of spellings) {
    const { results } = await historyOf(text);
    expect(
      results.map(({ verification }) => verification?.id),
      text,
    ).toEqual([otp_id]);
  }
});

test('a history has sends, wrong codes and refused sends with their reasons, newest first', async () => {
  const number = '+14155550132';
  const { otp_id } = (await send(alice, number)).body;
  await service.deliver();
  await service.clock.advance(1_000);
  const wrong = (await service.inbox(number))[0]?.code === '111111' ? '222222' : '111111';
  await service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id, code: wrong } });
  await service.clock.advance(1_000);
  const bearer = await signedIn(service, alice);
  const deny = [{ kind: 'number' as const, value: number }];
  expect((await service.call(updateProtection, { bearer, body: { deny } })).status).toBe(200);
  expect((await send(alice, number)).status).toBe(400);
  const history = await historyOf(number);
  expect(history.results.map(({ refusal, verification }) => refusal?.reason ?? verification?.status)).toEqual(
    ['destination_blocked', 'invalid_code', 'sent'],
  );
  expect(history.results[0]?.refusal?.blocked_by).toEqual(['deny_list']);
  expect(history).toMatchObject({
    recipient: number,
    opted_out: false,
    problem: null,
    next: null,
    check: { decision: 'blocked', blocked_by: ['deny_list'], listed: 'deny' },
  });
});

test('a history shows that the recipient has opted out', async () => {
  const number = '+14155550133';
  await optOut(service.app.db, service.app.vault.fingerprint('opt-out', number));
  expect(await historyOf(number)).toMatchObject({
    opted_out: true,
    results: [],
    check: { decision: 'refused', refusal: { reason: 'recipient_opted_out' } },
  });
});

test('a history names the reason why the service cannot send to a recipient', async () => {
  expect(await historyOf('+33612345678')).toMatchObject({
    check: null,
    problem: 'Phone numbers of this country are not allowed on this service.',
  });
});

test('a history has pages without gaps or repetitions', async () => {
  const number = '+14155550134';
  const reasons: (string | null | undefined)[] = [];
  for (let n = 0; n < 30; n++) {
    await service.clock.advance(1_000);
    reasons.unshift((await send(alice, number)).status === 201 ? undefined : 'recipient_rate_limited');
  }
  const first = await historyOf(number);
  expect(first.results).toHaveLength(EVENTS_A_PAGE);
  const second = await historyOf(number, { before: first.next ?? '' });
  expect(second).toMatchObject({ next: null, check: null, problem: null });
  expect([...first.results, ...second.results].map(({ refusal }) => refusal?.reason)).toEqual(reasons);
});

test('another account’s sends to the same recipient are not in a history', async () => {
  const number = '+14155550135';
  await send(alice, number);
  expect((await historyOf(number)).results).toHaveLength(1);
  expect((await historyOf(number, { of: bob })).results).toEqual([]);
});

test('a recipient that is neither a number nor an address is refused with a sentence at its field', async () => {
  for (const text of ['nobody', '12', '+1415', 'order 4155550100', '%']) {
    const { status, body } = await ask(text);
    expect(status, text).toBe(400);
    expect(body, text).toMatchObject({
      recipient: [
        'Enter a whole phone number with its country code, such as +14155552671, or an email address.',
      ],
    });
  }
  expect((await ask('')).status).toBe(400);
  expect((await ask('+14155550100', { before: 'x' })).status).toBe(400);
});

test('a history requires a session', async () => {
  expect((await service.call(getRecipient, { query: { recipient: '+14155550100' } })).status).toBe(401);
});
