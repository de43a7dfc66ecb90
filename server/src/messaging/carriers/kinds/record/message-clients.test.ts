import { createHash } from 'node:crypto';
import { CARRIER_KIND_FACTS } from '@sixdigit/contract/operator/carrier-setups.ts';
import { verifySignature } from '@vonage/jwt';
import { Channels, Messages } from '@vonage/messages';
import Telnyx from 'telnyx';
import { describe, expect, test } from 'vitest';
import { carrierMessage, dispatchOnce } from '../../../../../test/carrier-message.ts';
import { type CompanyFake, startCompany } from '../../../../../test/fakes/companies/company.ts';
import { SIGNING } from '../../../../../test/fakes/companies/signing.ts';
import type { Company } from '../../../../../test/fakes/companies/wire.ts';
import type { Incoming } from '../../../../../test/fakes/http-listener.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { createCarrier } from '../../kinds.ts';

/** The message companies' own clients and verifiers against our fakes. */
const companyOf = (kind: Company['kind']): Company => {
  const found = SIGNING.find((company) => company.kind === kind);
  if (!found) throw new Error(`There is no fake of ${kind}`);
  return found;
};

const now = new Date('2026-11-29T12:00:00Z');
const message = carrierMessage({
  reference: 'reference-1',
  status_url: 'https://otp.example.com/status/?otp=1',
  expires_at: new Date(now.getTime() + 300_000),
});
const { recipient: to, text } = message;
const address = 'https://otp.example.com/status/?reference=reference-1';

interface Client {
  /** Returns the company's id of the message. */
  send(): Promise<string | undefined>;
  /** Makes the request that checks the credentials. */
  check?(): Promise<unknown>;
  /** Reads the status of a refusal. */
  status(error: unknown): number | undefined;
}

const telnyxOf = (url: string, { api_key = '', signing_key = '' }: Company['fields']) =>
  new Telnyx({ apiKey: api_key, publicKey: signing_key, baseURL: `${url}/v2`, maxRetries: 0 });

const CLIENTS: Partial<Record<Company['kind'], (url: string, fields: Company['fields']) => Client>> = {
  telnyx(url, fields) {
    const client = telnyxOf(url, fields);
    return {
      async send() {
        const sent = await client.messages.send({
          from: fields.from ?? '',
          to,
          text,
          type: 'SMS',
          webhook_url: address,
          use_profile_webhooks: false,
        });
        return sent.data?.id;
      },
      check: async () => await client.messagingProfiles.list({ 'page[size]': 1 }),
      status: (error) => (error as { status?: number }).status,
    };
  },
  vonage(url, { api_key = '', api_secret = '', from = '' }) {
    const client = new Messages({ apiKey: api_key, apiSecret: api_secret }, { apiHost: url });
    return {
      async send() {
        const sent = await client.send({
          messageType: 'text',
          channel: Channels.SMS,
          from,
          to: to.slice(1),
          text,
          ttl: 300,
          clientRef: 'reference-1',
          webhookUrl: address,
          webhookVersion: 'v1',
        });
        return sent.messageUUID;
      },
      status: (error) => (error as { response?: Response }).response?.status,
    };
  },
};

describe.each(['telnyx', 'vonage'] as const)('%s', (kind) => {
  const company = companyOf(kind);
  const record = CARRIER_KIND_FACTS[kind].preset?.record;
  const requests: Incoming[] = [];
  const fake: CompanyFake = fixture(() =>
    startCompany({ ...company, about: (request) => void requests.push(request) }, () => now),
  );
  const client = () => CLIENTS[kind]?.(fake.url, company.fields) as Client;

  test(`the client of ${kind} sends a message as our carrier does`, async () => {
    requests.length = 0;
    expect(await client().send()).toBe(fake.messageTo(to).id);
    const carrier = createCarrier(kind, {
      name: kind,
      values: { ...company.fields, api_url: fake.url },
      brandName: 'Sixdigit',
      clock: { now: () => now },
    });
    expect(await dispatchOnce(carrier, message)).toMatchObject({ kind: 'accepted' });
    const [theirs, ours] = requests as [Incoming, Incoming];
    expect([ours.method, ours.path]).toEqual([theirs.method, theirs.path]);
    expect(JSON.parse(ours.text)).toEqual(JSON.parse(theirs.text));
    expect(ours.headers.authorization).toBe(theirs.headers.authorization);
  });

  test.each(Object.entries(company.refusals))(
    `the client of ${kind} understands a refusal: %s`,
    async (_, [status, body]) => {
      fake.answer = () => ({ status, body });
      const error: unknown = await client()
        .send()
        .catch((reason: unknown) => reason);
      expect(client().status(error)).toBe(status);
      fake.answer = undefined;
    },
  );

  if (record?.check)
    test(`the client of ${kind} asks for the same as our check`, async () => {
      requests.length = 0;
      await client().check?.();
      const { pathname, search } = new URL(record.check?.url.replace('{api_url}', fake.url) ?? '');
      expect(requests[0]?.path).toBe(`${pathname}${encodeURI(search)}`);
    });
});

test('the verifier of Telnyx proves a report of its fake, and refuses a forged one', async () => {
  const company = companyOf('telnyx');
  // The verifier reads the real clock.
  await using fake = await startCompany(company, () => new Date());
  const report = (forged: boolean) => fake.report({ to, text, id: 'm1' }, 'delivered', { forged });
  const verified = ({ body, headers }: ReturnType<typeof report>) =>
    telnyxOf(fake.url, company.fields).webhooks.unwrap(body, { headers });
  const right = report(false);
  expect(await verified(right)).toEqual(JSON.parse(right.body));
  await expect(verified(report(true))).rejects.toThrow('does not match');
});

test('every status that the client of Telnyx knows has a meaning', () => {
  // The compiler compares the names with the client's.
  type Status = NonNullable<NonNullable<Telnyx.OutboundMessagePayload['to']>[number]['status']>;
  const names: Record<Status, true> = {
    queued: true,
    sending: true,
    sent: true,
    delivered: true,
    sending_failed: true,
    delivery_failed: true,
    delivery_unconfirmed: true,
    expired: true,
    read: true,
  };
  const known = CARRIER_KIND_FACTS.telnyx.preset?.record.reports?.statuses;
  expect(Object.keys(known ?? {})).toEqual(expect.arrayContaining(Object.keys(names)));
});

test('the verifier of Vonage proves the token of its fake, which has the hash of the body', async () => {
  const company = companyOf('vonage');
  await using fake = await startCompany(company, () => now);
  const report = (forged: boolean) => {
    const { body, headers } = fake.report({ to, text, id: 'm1' }, 'delivered', { forged });
    return { body, token: headers.authorization?.replace('Bearer ', '') ?? '' };
  };
  const { body, token } = report(false);
  expect(verifySignature(token, company.fields.signing_key ?? '')).toBe(true);
  expect(verifySignature(report(true).token, company.fields.signing_key ?? '')).toBe(false);
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ payload_hash: createHash('sha256').update(body).digest('hex') });
});

/** Signatures that `validateV3Signature` of plivo 4.79.0 accepts. The package needs 60 others, so it is not among ours. */
test.each([
  [
    'https://otp.example.com/api/v1/carriers/plivo/status/?reference=abc-_1',
    '/YhZ+vbJ98WH8EFOZqoronr9Sv3Qk+KEhG9Z2Ialkag=',
  ],
  [
    'https://otp.example.com:8443/api/v1/carriers/plivo/inbound/',
    'zABrBrvGm+MLuFN4d2tZtDOIVqGEXfkZXy/nW4gbVJk=',
  ],
])('the fake of Plivo signs a request to %s as Plivo does', async (url, signature) => {
  const company = companyOf('plivo');
  const form = { MessageUUID: 'm1', From: '18005550199', To: '14155550100', Status: 'delivered' };
  await using fake = await startCompany(company, () => now);
  const { headers } = fake.callback(url, { ...form, Units: '1', TotalAmount: '0.00550', ErrorCode: '' });
  expect(headers['x-plivo-signature-v3']).toContain(signature);
});
