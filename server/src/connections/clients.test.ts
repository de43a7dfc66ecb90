/**
 * The systems' own clients, as published, against the service on a socket. That of Novu is not here, because it would install 690
 * packages; `guarantees/conformance/systems/novu.json` has its requests.
 */

import { createRequire } from 'node:module';
import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import { createConnection, type NewConnection, rotateConnection } from '@sixdigit/contract/connections.ts';
import twilio from 'twilio';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { refusalOf } from '../../test/twilio-client.ts';

const service = fixture(() => serviceWithCarriers(['http'], { ALLOWED_COUNTRIES: '*' }));
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice', { credits: 100, keys: 1 }));

interface LogtoConnector {
  sendMessage(data: {
    to: string;
    type: string;
    payload: { code?: string; locale?: string };
    ip?: string;
  }): Promise<unknown>;
}
type CreateLogtoConnector = (given: {
  getConfig: () => Promise<{ endpoint: string; authorization?: string }>;
}) => Promise<LogtoConnector>;
/** The packages have no types. */
const LOGTO = {
  sms: createRequire(import.meta.url)('@logto/connector-http-sms') as { default: CreateLogtoConnector },
  email: createRequire(import.meta.url)('@logto/connector-http-email') as { default: CreateLogtoConnector },
};

async function connected(system: SystemName): Promise<NewConnection> {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(createConnection, { bearer, body: { system, name: system } });
  return body;
}
const addressOf = ({ endpoints }: NewConnection, kind = 'sms'): string =>
  origin.url + new URL(endpoints.find((one) => one.kind === kind)?.url ?? '').pathname;

const logto = (made: NewConnection, kind: 'sms' | 'email', authorization = made.secret) =>
  LOGTO[kind].default({ getConfig: async () => ({ endpoint: addressOf(made, kind), authorization }) });

const textsTo = async (recipient: string) => {
  await service.drain();
  return service.http.messagesTo(recipient).map(({ text }) => text);
};

test('Logto sends a code by SMS and by e-mail with its own connectors, and a repeated one costs nothing', async () => {
  const made = await connected('logto');
  const before = await alice.balance();
  const sms = await logto(made, 'sms');
  const message = {
    to: '14155558001',
    type: 'SignIn',
    payload: { code: '731904', locale: 'en' },
    ip: '203.0.113.7',
  };
  await sms.sendMessage(message);
  await sms.sendMessage(message);
  expect(await textsTo('+14155558001')).toEqual([expect.stringContaining('731904')]);
  const email = await logto(made, 'email');
  await email.sendMessage({ to: 'logto@example.com', type: 'Register', payload: { code: '482913' } });
  expect(await textsTo('logto@example.com')).toEqual([expect.stringContaining('482913')]);
  expect(before - (await alice.balance())).toBe(2);
});

test("a refusal is the error message of Logto's connector", async () => {
  const made = await connected('logto');
  const send = async (authorization: string, to: string) =>
    (await logto(made, 'sms', authorization))
      .sendMessage({ to, type: 'SignIn', payload: { code: '731905' } })
      .catch((error: unknown) => error);
  expect(await send(made.secret, '12')).toMatchObject({
    data: {
      message: JSON.stringify({
        message: 'Enter a valid phone number, such as +14155552671.',
        reason: 'invalid_fields',
      }),
    },
  });
  expect(await send('wrong', '+14155558002')).toMatchObject({
    data: { message: expect.stringContaining('invalid_signature') },
  });
  expect(await textsTo('+14155558002')).toEqual([]);
});

test("Logto's connector keeps sending with the old secret during a rotation", async () => {
  const made = await connected('logto');
  const params = { id: made.id };
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(rotateConnection, { bearer, params, body: { valid_hours: 1 } });
  for (const [to, secret] of [
    ['+14155558003', made.secret],
    ['+14155558004', body.secret],
  ] as const) {
    await (await logto(made, 'sms', secret)).sendMessage({ to, type: 'SignIn', payload: { code: '731906' } });
    expect(await textsTo(to)).toHaveLength(1);
  }
});

test("Twilio's client creates a message at a connection with another base address, and reads its refusals", async () => {
  const made = await connected('twilio-messages');
  const clientWith = (token: string) => {
    const client = twilio(`AC${made.id.replaceAll('-', '')}`, token);
    client.api.baseUrl = addressOf(made);
    return client;
  };
  const client = clientWith(made.secret);
  const to = '+14155558005';
  const sent = await client.messages.create({ to, from: '+15005550006', body: '731907 is your login code' });
  expect(sent).toMatchObject({ to, status: 'queued', errorCode: null, direction: 'outbound-api' });
  expect(sent.sid).toMatch(/^SM[0-9a-f]{32}$/);
  expect(sent.dateCreated).toBeInstanceOf(Date);
  expect(await textsTo(to)).toEqual(['731907 is your login code']);
  const body = '731908 is your login code';
  const messaging = { messagingServiceSid: 'MG00000000000000000000000000000000' };
  expect(await client.messages.create({ to: '+14155558006', body, ...messaging })).toMatchObject({
    status: 'accepted',
    ...messaging,
  });
  expect(await refusalOf(client.messages.create({ to: '+1415', from: '+15005550006', body }))).toMatchObject({
    status: 400,
    code: 21211,
  });
  expect(
    await refusalOf(client.messages.create({ to: `whatsapp:${to}`, from: '+15005550006', body })),
  ).toMatchObject({ status: 400, code: 21211, message: 'WhatsApp is not available. Enter a phone number.' });
  const stranger = clientWith('0'.repeat(32));
  expect(await refusalOf(stranger.messages.create({ to, from: '+15005550006', body }))).toMatchObject({
    status: 401,
    code: 20003,
  });
});
