import { describe, expect, test } from 'vitest';
import { fixture } from '../../server/test/fixture.ts';
import { sender, wrongCode } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { driverOf, LANGUAGES } from './drivers.ts';
import { type Fault, faultyProxy } from './faulty-proxy.ts';
import { startPython } from './python.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const proxy = fixture(() => faultyProxy(origin.url));
const python = fixture(startPython);

/** Of the client for responses that never arrive. The other client waits as long as a busy machine may take. */
const SHORT_TIMEOUT_MS = 800;

/** Adds the seconds that the response asks the client to wait. */
const secondsAsked = (sum: number, fault: Fault): number =>
  sum + (typeof fault === 'object' ? Number(fault.headers?.['retry-after'] ?? 0) : 0);

let next = 0;
const freshRecipient = (): string => `+1201555${String(1000 + ++next)}`;

describe.each(LANGUAGES)('the client in %s', (language) => {
  const alice = fixture(() => sender(service, `Alice ${language}`, { credits: 100 }));
  const access = () => ({ apiKey: alice.key(), baseUrl: proxy.url });
  const client = fixture(() => driverOf(language, python, access()));
  const impatient = fixture(() => driverOf(language, python, { ...access(), timeoutMs: SHORT_TIMEOUT_MS }));

  const messagesTo = async (recipient: string) => {
    await service.deliver();
    return service.inbox(recipient);
  };

  async function sent(recipient = freshRecipient()): Promise<{ otp_id: string; code: string }> {
    proxy.plan();
    const { otp_id } = await client.send({ channel: 'sms', recipient });
    const [message] = await messagesTo(recipient);
    return { otp_id: String(otp_id), code: message?.code ?? '' };
  }

  const cases: [title: string, ...faults: Fault[]][] = [
    ['a reset connection', 'refuse'],
    ['two reset connections', 'refuse', 'refuse'],
    ['503 with Retry-After', { status: 503, headers: { 'retry-after': '1' } }],
    ['a lost response', 'lose'],
    ['two lost responses', 'lose', 'lose'],
    ['a response that breaks off', 'cut'],
    ['a lost response, then 503', 'lose', 'unavailable'],
    ['429 with a short Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ["a gateway's 502", { status: 502, body: '<h1>Bad Gateway</h1>' }],
  ];

  test.each(cases)('one send is one message and one credit after %s', async (_, ...faults) => {
    const recipient = freshRecipient();
    const before = await alice.balance();
    proxy.plan(...faults);
    const begunMs = performance.now();
    const reply = await client.send({ channel: 'sms', recipient });
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(1000 * faults.reduce(secondsAsked, 0));
    expect(proxy.seen).toHaveLength(faults.length + 1);
    expect(new Set(proxy.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(proxy.seen[0]?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(await messagesTo(recipient)).toHaveLength(1);
    expect(before - (await alice.balance())).toBe(1);
    expect(await alice.state(String(reply.otp_id))).toMatchObject({ recipient, status: 'sent' });
  });

  test('one send is one message and one credit after a response later than the timeout', async () => {
    const recipient = freshRecipient();
    const before = await alice.balance();
    proxy.plan('hang');
    await impatient.send({ channel: 'sms', recipient });
    expect(await messagesTo(recipient)).toHaveLength(1);
    expect(before - (await alice.balance())).toBe(1);
  });

  test('two sends have two idempotency keys', async () => {
    proxy.plan();
    const recipient = freshRecipient();
    for (let n = 0; n < 2; n++) await client.send({ channel: 'sms', recipient });
    expect(new Set(proxy.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    expect(await messagesTo(recipient)).toHaveLength(2);
  });

  test('a send that is repeated with the same idempotency key after all attempts failed is one message', async () => {
    const recipient = freshRecipient();
    const send = () => client.send({ channel: 'sms', recipient }, `job ${language} 1`.replaceAll(' ', '-'));
    proxy.plan('lose', 'lose', 'lose');
    await expect(send()).rejects.toMatchObject({ details: { reason: 'connection_failed', status: 0 } });
    await send();
    expect(await messagesTo(recipient)).toHaveLength(1);
  });

  test('a code of the caller is one message, and its outcome is reported after a lost response', async () => {
    const recipient = freshRecipient();
    await service.app.db.run(
      `update api_keys set scopes = scopes || '{otp:own_code}' where account_id = $1`,
      [alice.account_id],
    );
    proxy.plan('lose', 'cut');
    const { otp_id } = await client.send({ channel: 'sms', recipient, code: 'QZ81' });
    expect(await messagesTo(recipient)).toMatchObject([{ code: 'QZ81' }]);
    proxy.plan('lose', 'unavailable');
    const reported = await client.outcome(String(otp_id), true);
    expect(reported).toMatchObject({ otp_id, own_code: true, outcome: 'verified' });
    expect(proxy.seen.map(({ path }) => path)).toEqual(Array(3).fill(`/api/v1/otp/${otp_id}/outcome/`));
  });

  test('a wrong code whose response was lost counts once', async () => {
    const { otp_id, code } = await sent();
    proxy.plan('lose');
    await expect(client.verify(otp_id, wrongCode(code))).rejects.toMatchObject({
      details: { reason: 'invalid_code', status: 400, facts: { attempts_remaining: 4 } },
    });
    await expect(client.verify(otp_id, wrongCode(code, 2))).rejects.toMatchObject({
      details: { facts: { attempts_remaining: 3 } },
    });
  });

  test('a right code whose response was lost is verified', async () => {
    const { otp_id, code } = await sent();
    proxy.plan('lose', 'lose');
    expect(await client.verify(otp_id, code)).toMatchObject({ status: 'verified', otp_id });
  });

  test('a resend whose response was lost is one message, and its code is verified by recipient and purpose', async () => {
    const recipient = freshRecipient();
    proxy.plan();
    const { otp_id } = await client.send({ channel: 'sms', recipient, purpose: 'login' });
    const before = await alice.balance();
    proxy.plan('lose', 'unavailable');
    expect(await client.resend(String(otp_id), { channel: 'voice' })).toMatchObject({ otp_id });
    expect(before - (await alice.balance())).toBe(1);
    const messages = await messagesTo(recipient);
    expect(messages.map(({ channel }) => channel).sort()).toEqual(['sms', 'voice']);
    const code = messages[0]?.code ?? '';
    await expect(client.verify({ recipient }, code)).rejects.toMatchObject({
      details: { reason: 'otp_not_found' },
    });
    proxy.plan('lose');
    expect(await client.verify({ recipient, purpose: 'login' }, code)).toMatchObject({ otp_id });
  });

  test('a cancellation whose response was lost succeeds', async () => {
    const { otp_id, code } = await sent();
    proxy.plan('lose');
    expect(await client.cancel(otp_id)).toMatchObject({ otp_id, status: 'expired' });
    await expect(client.verify(otp_id, code)).rejects.toMatchObject({ details: { reason: 'otp_closed' } });
  });

  test('a second cancellation is refused', async () => {
    const { otp_id } = await sent();
    await client.cancel(otp_id);
    await expect(client.cancel(otp_id)).rejects.toMatchObject({ details: { reason: 'otp_closed' } });
  });

  test('the state of a verification is read again after a reset', async () => {
    const { otp_id } = await sent();
    proxy.plan('refuse');
    expect(await client.get(otp_id)).toMatchObject({ otp_id, status: 'sent', failure: null });
  });

  test('after three failed attempts the client gives up', async () => {
    const recipient = freshRecipient();
    proxy.plan('refuse', 'refuse', 'refuse');
    await expect(client.send({ channel: 'sms', recipient })).rejects.toMatchObject({
      details: { reason: 'connection_failed', status: 0 },
    });
    expect(proxy.seen).toHaveLength(3);
    proxy.plan('refuse', 'refuse', 'hang');
    await expect(impatient.get('01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f')).rejects.toMatchObject({
      details: { reason: 'timeout', status: 0 },
    });
  });

  test('a long Retry-After is left to the caller', async () => {
    const body = JSON.stringify({
      error: 'Too many codes',
      reason: 'recipient_rate_limited',
      retry_after: 540,
    });
    proxy.plan({ status: 429, headers: { 'retry-after': '540', 'x-request-id': 'r-1' }, body });
    await expect(client.send({ channel: 'sms', recipient: freshRecipient() })).rejects.toMatchObject({
      details: { reason: 'recipient_rate_limited', status: 429, retry_after: 540, request_id: 'r-1' },
    });
    expect(proxy.seen).toHaveLength(1);
  });

  test('a refusal is not repeated', async () => {
    proxy.plan();
    await expect(client.send({ channel: 'sms', recipient: '12' })).rejects.toMatchObject({
      details: { reason: 'invalid_fields', status: 400, field_errors: { recipient: [expect.any(String)] } },
    });
    expect(proxy.seen).toHaveLength(1);
  });

  test('a redirect does not take the key to another address', async () => {
    proxy.plan({ status: 307, headers: { location: `${proxy.url}/elsewhere/` } });
    await expect(client.send({ channel: 'sms', recipient: freshRecipient() })).rejects.toMatchObject({
      details: {
        reason: 'unexpected_response',
        status: 307,
        message: expect.stringContaining('/elsewhere/'),
      },
    });
    expect(proxy.seen).toHaveLength(1);
  });

  test("a page that is not Sixdigit's is an unexpected response", async () => {
    proxy.plan({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Parked</h1>' });
    await expect(client.get('x')).rejects.toMatchObject({
      details: { reason: 'unexpected_response', status: 200 },
    });
  });

  test.each(['..', '../send', 'a/b', '', 'x?y'])('the id %j makes no request', async (otp_id) => {
    proxy.plan();
    await expect(client.get(otp_id)).rejects.toMatchObject({
      details: { reason: 'otp_not_found', status: 404 },
    });
    await expect(client.cancel(otp_id)).rejects.toMatchObject({ details: { reason: 'otp_not_found' } });
    expect(proxy.seen).toEqual([]);
  });

  test('a key of nobody is refused', async () => {
    const stranger = await driverOf(language, python, {
      apiKey: `sd_live_${'x'.repeat(38)}`,
      baseUrl: `${origin.url}/api/v1/`,
    });
    await expect(stranger.get('x')).rejects.toMatchObject({
      details: { reason: 'invalid_api_key', status: 401 },
    });
  });
});
