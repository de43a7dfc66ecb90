import { SandboxMessage } from '@sixdigit/contract/deployment.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import { operationRoutes } from '../../operations/deployment/deployment.ts';
import { createServer } from '../../platform/http/server.ts';
import { sandboxRoutes } from './routes.ts';
import { storeMessage } from './sandbox.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  service.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers }, remoteAddress });
const send = (recipient: string, channel = 'email') =>
  service.call(sendOtp, { apiKey: alice.api_key, body: { channel, recipient } });

const messages = async (query = '') => (await get(`/sandbox/messages${query}`)).json();

test('the sandbox inbox lists messages newest first, and finds a recipient in any spelling', async () => {
  await send('first@example.com');
  await service.drain();
  await send('+14155552671', 'sms');
  await service.drain();
  const all = await messages();
  expect(all.map(({ recipient }: SandboxMessage) => recipient)).toEqual([
    '+14155552671',
    'first@example.com',
  ]);
  for (const message of all) expect(Object.keys(SandboxMessage.parse(message))).toHaveLength(8);
  const recipients = [
    'First@Example.com',
    '%2B14155552671',
    '+14155552671',
    '(415)%20555-2671',
    '14155552671',
  ];
  for (const recipient of recipients) expect(await messages(`?recipient=${recipient}`)).toHaveLength(1);
  expect(await messages('?recipient=nobody@example.com')).toEqual([]);
  const [mail] = await messages('?recipient=first@example.com');
  expect(mail).toMatchObject({
    channel: 'email',
    code: expect.stringMatching(/^\d{6}$/),
    html: expect.any(String),
  });
  expect(mail.text).toContain(mail.code);
});

test('a message of the sandbox inbox has the id of its verification, and appears once after a repeated dispatch', async () => {
  const sent = await send('linked@example.com');
  await service.drain();
  const [message] = await messages('?recipient=linked@example.com');
  expect(message.id).toBe(sent.body.otp_id);
  const repeated = { ...message, text: 'Another text', code: '000000', expires_at: new Date() };
  await storeMessage(service.app, repeated);
  expect(await messages('?recipient=linked@example.com')).toEqual([message]);
});

test('the sandbox inbox refuses a query without exactly one recipient', async () => {
  for (const query of ['?recipient=a&recipient=b', '?recipient=%00'])
    expect((await get(`/sandbox/messages${query}`)).statusCode).toBe(400);
});

test('the sandbox inbox does not exist outside a sandbox, even if SANDBOX_INBOX is public', async () => {
  const { app } = service;
  const real = { ...app, config: { ...app.config, sandbox: false, publicInbox: true } };
  const server = await createServer(real, service.server.authenticators);
  sandboxRoutes(server, real);
  await operationRoutes(server, real);
  const answer = await server.inject({ method: 'GET', url: '/sandbox/messages' });
  expect(answer.statusCode).toBe(404);
  await server.close();
});
