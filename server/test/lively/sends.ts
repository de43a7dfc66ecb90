import type { Channel } from '@sixdigit/contract/channels.ts';
import { testConnection } from '@sixdigit/contract/connections.ts';
import { listCarrierSetups } from '@sixdigit/contract/operator/carrier-setups.ts';
import { cancelOtp, reportOutcome, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';
import { wrongCode } from '../sender.ts';
import { FATES, type Fate, type KeyName, type LivelyFacts } from './facts.ts';
import { MINUTE, pathOf, type Teller } from './teller.ts';

type Made = Pick<LivelyFacts, 'keys' | 'connections' | 'endpoints' | 'carriers'>;
type Sent = Pick<LivelyFacts, 'verifications' | 'ownCodes' | 'tests' | 'bobs' | 'optedOut'>;

export const nothingSent = (): Sent => ({
  verifications: Object.fromEntries(FATES.map((fate) => [fate, []])) as never,
  ownCodes: { verified: [], unverified: [], unreported: [] },
  tests: [],
  bobs: [],
  optedOut: [],
});

/** What the carrier does with the message of a fate, if it does not accept it. */
const TREATED = {
  invalid: 'invalid',
  filtered: 'filtered',
  unsubscribed: 'unsubscribed',
  unsent: 'refuse',
} as const;

const TEXTS = [
  {},
  { message: 'Acme & Söhne: {code} – „nur heute“. {code} <b>', expires_in: 600 },
  { client_ip: '203.0.113.7', expires_in: 90 },
  { message: 'Code {code} 🎉', client_ip: '2001:db8::17' },
] as const;
const KEYS: KeyName[] = ['live', 'restricted', 'rotated'];

/** Sends one code of each fate, of which most go over another channel, key and text than the day before. */
export async function sendOfEachFate(teller: Teller, { keys }: Made, sent: Sent, day: number): Promise<void> {
  const { service, gateway, must } = teller;
  for (const [n, fate] of FATES.entries()) {
    const turn = n + day;
    const channel = (['sms', 'email', 'voice'] as const)[turn % 3] as Channel;
    const isVoice = channel === 'voice';
    const { message, ...text } = { message: undefined, ...TEXTS[turn % TEXTS.length] };
    const recipient = recipientOf(channel, day, n);
    const apiKey = keys[KEYS[turn % KEYS.length] ?? 'live'].key;
    gateway.everyone = TREATED[fate as keyof typeof TREATED];
    const { otp_id } = await must(sendOtp, {
      apiKey,
      headers: { 'idempotency-key': `${fate}-of-day-${day}` },
      body: {
        channel,
        recipient,
        ...text,
        ...(message && !isVoice ? { message } : {}),
        ...(channel === 'email' && turn % 2 ? { subject: `Día ${day}: "código" & más` } : {}),
      },
    });
    sent.verifications[fate].push(otp_id);
    await service.deliver();
    gateway.everyone = undefined;
    await finish(teller, { keys }, { fate, otp_id, recipient, apiKey });
    await service.clock.advance((11 + 5 * n) * MINUTE);
  }
}

const PLACES = ['+12025550', '+4915112345', '+3361234567', '+44740012345'] as const;

function recipientOf(channel: Channel, day: number, n: number): string {
  if (channel === 'email') return `kunde+${day}.${n}@${n % 2 ? 'mail.example.com' : 'example.org'}`;
  const place = PLACES[(day + n) % PLACES.length] ?? '';
  const length = place.startsWith('+49') ? 14 : place.startsWith('+44') ? 13 : 12;
  return (
    place +
    String(140 + 12 * day + n)
      .padStart(3, '0')
      .slice(-(length - place.length))
  );
}

async function finish(
  { gateway, must, refused, service }: Teller,
  { keys }: Pick<Made, 'keys'>,
  { fate, otp_id, recipient, apiKey }: { fate: Fate; otp_id: string; recipient: string; apiKey: string },
): Promise<void> {
  const message = gateway.messagesTo(recipient).at(-1);
  const verify = { apiKey: keys.live.key };
  const { code = '' } = message ?? {};
  await service.clock.advance(20_000);
  const isDelivered = fate === 'delivered' || fate === 'verified' || fate === 'exhausted';
  if (message && isDelivered) await gateway.report(message, 'delivered');
  if (message && fate === 'undelivered')
    await gateway.report(message, 'undelivered', { reason: 'absent & "off"' });
  if (fate === 'verifiedLate' || fate === 'wrong')
    await refused('invalid_code', verifyOtp, { ...verify, body: { otp_id, code: wrongCode(code) } });
  if (fate === 'exhausted')
    for (let n = 1; n <= 5; n += 1)
      await service.call(verifyOtp, { ...verify, body: { otp_id, code: wrongCode(code, n) } });
  if (fate === 'canceled') await must(cancelOtp, { apiKey, params: { otp_id } });
  if (fate === 'verifiedLate') await service.clock.advance(40_000);
  if (fate === 'verified' || fate === 'verifiedLate')
    await must(verifyOtp, { ...verify, body: { otp_id, code } });
}

/** Codes of the sender, tests of every outcome, and codes of Bob. */
export async function sendOthers(
  teller: Teller,
  { keys, connections }: Made,
  sent: Sent,
  day: number,
): Promise<void> {
  const { service, must } = teller;
  const { key: apiKey } = keys.ownCode;
  for (const [n, [outcome, code]] of (
    [
      ['verified', '40917'],
      ['unverified', 'K7Q2X9'],
      ['unreported', '0012345'],
    ] as const
  ).entries()) {
    const body = {
      channel: n % 2 ? 'email' : 'sms',
      recipient: n % 2 ? `own.${day}@example.net` : `+1202555017${n + 3 * (day % 2)}`,
      code,
    } as const;
    const { otp_id } = await must(sendOtp, { apiKey, body: { ...body, message: 'Own & "yours": {code}' } });
    sent.ownCodes[outcome].push(otp_id);
    await service.deliver();
    if (outcome !== 'unreported')
      await must(reportOutcome, { apiKey, params: { otp_id }, body: { verified: outcome === 'verified' } });
    await service.clock.advance(9 * MINUTE);
  }
  for (const { phone, local, outcome } of TEST_RECIPIENTS.slice(0, 5)) {
    const isMail = (day + local.length) % 2 === 0;
    const { otp_id } = await must(sendOtp, {
      apiKey: keys.test.key,
      body: isMail
        ? { channel: 'email', recipient: `${local}+${day}@sixdigit.test`, subject: 'Test "of" day' }
        : { channel: 'sms', recipient: phone },
    });
    sent.tests.push(otp_id);
    await service.deliver();
    if (outcome === 'delivered')
      await must(verifyOtp, { apiKey: keys.test.key, body: { otp_id, code: '1234567' } });
  }
  for (const recipient of [`bobs+${day}@example.com`, `+1202555018${day}`]) {
    const channel = recipient.includes('@') ? 'email' : 'sms';
    const { otp_id } = await must(sendOtp, { apiKey: keys.bobs.key, body: { channel, recipient } });
    sent.bobs.push(otp_id);
    await service.deliver();
    const code = teller.gateway.messagesTo(recipient).at(-1)?.code ?? '';
    if (channel === 'email') await must(verifyOtp, { apiKey: keys.bobs.key, body: { otp_id, code } });
  }
  for (const { id } of Object.values(connections)) {
    const bearer = await teller.bearer('alice');
    await must(testConnection, { bearer, params: { id }, body: { recipient: `+1202555019${day}` } });
    await service.deliver();
    await service.clock.advance(17 * MINUTE);
  }
}

/** Recipients who opt out, and requests that are refused for many reasons. */
export async function refuseRequests(
  teller: Teller,
  { keys, connections, carriers }: Made,
  sent: Sent,
  day: number,
): Promise<void> {
  const { gateway, refused, service } = teller;
  const optedOut = `+1202555016${day}`;
  const { setups } = await teller.must(listCarrierSetups, { bearer: await teller.bearer('alice') });
  const url = setups.find(({ name }) => name === carriers[0])?.inbound_url ?? '';
  const { headers, body: payload } = gateway.callback(url, { from: optedOut, text: 'STOP' });
  await service.inject({ method: 'POST', url: pathOf(url), headers, payload });
  sent.optedOut.push(optedOut);
  const sms = (recipient: string) => ({ channel: 'sms' as const, recipient });
  const of = (name: KeyName, body: Record<string, unknown>, remaining: object = {}) => ({
    apiKey: keys[name].key,
    body,
    ...remaining,
  });
  await refused('recipient_opted_out', sendOtp, of('live', sms(optedOut)));
  await refused(
    'destination_blocked',
    sendOtp,
    of('live', { ...sms('+12025550199'), client_ip: '198.51.100.9' }),
  );
  await refused('destination_blocked', sendOtp, of('rotated', sms('+819012345678')));
  await refused(undefined, sendOtp, of('live', { channel: 'pigeon', recipient: 'x' }));
  await refused('missing_scope', verifyOtp, of('restricted', { otp_id: sent.tests[0], code: '1' }));
  await refused('otp_not_found', verifyOtp, of('bobs', { otp_id: sent.tests[0], code: '123456' }));
  await refused('insufficient_credits', sendOtp, of('test', sms('+15005550009')));
  await refused('spend_limit_reached', sendOtp, of('test', sms('+15005550010')));
  await refused(
    'otp_already_verified',
    verifyOtp,
    of('live', { otp_id: sent.verifications.verified.at(-1), code: '1' }),
  );
  await refused(
    'idempotency_key_reused',
    sendOtp,
    of('live', sms('+12025550140'), { headers: { 'idempotency-key': `sent-of-day-${day}` } }),
  );
  await refused('api_key_expired', sendOtp, of('expired', sms('+12025550140')));
  for (const secret of ['not the secret', connections.authentik.secret])
    await service.inject({
      method: 'POST',
      url: `${API_BASE}/in/${connections.authentik.id}/sms`,
      headers: { authorization: `Bearer ${secret}` },
      payload: { From: 'x', To: 'nobody', Body: '123', Message: 'PIN: none' },
    });
  await service.clock.advance(13 * MINUTE);
}
