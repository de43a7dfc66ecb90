import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { testService } from '../../../server/test/service.ts';
import { type WebhookCustomer, webhookCustomer } from '../../../server/test/webhook-customer.ts';
import { verifyWebhook } from '../src/sixdigit.ts';

const service = fixture(testService);
let url: string;
let alice: WebhookCustomer;
beforeAll(async () => {
  url = await service.listen();
  alice = await webhookCustomer(service, 'Alice');
  await service.app.db.run(`update api_keys set scopes = scopes || '{events:read}' where id = $1`, [
    alice.api_key_id,
  ]);
});
afterAll(() => service.server.server.closeAllConnections());

const command = join(import.meta.dirname, '../src/command/sixdigit.ts');
const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: 20_000, interval: 50 });

interface Running extends AsyncDisposable {
  out: () => string;
  error: () => string;
  ended: Promise<number | null>;
  child: ChildProcess;
}

function start(args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, SIXDIGIT_URL: url, SIXDIGIT_API_KEY: alice.api_key, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', error: '' };
  child.stdout.on('data', (text) => (texts.out += text));
  child.stderr.on('data', (text) => (texts.error += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    out: () => texts.out,
    error: () => texts.error,
    ended,
    child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks on this machine. */
async function receiver(status = 204) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    received,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const send = async (recipient: string) => {
  const { status, body } = await service
    .inject({
      method: 'POST',
      url: '/api/v1/otp/send/',
      headers: { 'x-api-key': alice.api_key },
      payload: { channel: 'email', recipient },
    })
    .then((answer) => ({ status: answer.statusCode, body: answer.json() }));
  expect(status).toBe(201);
  return body.otp_id as string;
};

test('logs --follow shows requests as they happen, until it is interrupted', async () => {
  await using running = start(['logs', '--follow']);
  await using asJson = start(['logs', '--follow', '--json']);
  for (const { error } of [running, asJson]) await eventually(() => expect(error()).toContain('Following'));
  const otp_id = await send('ann@example.com');
  await eventually(() =>
    expect(running.out()).toMatch(
      /^\d\d:\d\d:\d\d {2}201 {2}POST \/api\/v1\/otp\/send\/ {2}email {2}ann@example\.com {2}- {2}[\d.]+ ms\n$/,
    ),
  );
  const row = await eventually(() => JSON.parse(asJson.out()));
  expect(row).toMatchObject({ request_type: 'send_otp', otp: { id: otp_id, recipient: 'ann@example.com' } });
  expect(running.out() + running.error()).not.toContain(alice.api_key);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(0);
});

test('listen forwards webhooks exactly as the service signs them, over one connection', async () => {
  await using local = await receiver();
  const endpoint = await alice.addEndpoint('http://127.0.0.1:1/');
  const other = await alice.addEndpoint('http://127.0.0.1:1/', { name: 'Other' });
  await using running = start(['listen', '--forward-to', local.url, '--webhook', endpoint.id]);
  await using asJson = start(['listen', '--forward-to', 'http://127.0.0.1:9/', '--json']);
  for (const { error } of [running, asJson]) await eventually(() => expect(error()).toContain('Forwarding'));
  await alice.publish('verified', 2);
  await eventually(() => expect(local.received).toHaveLength(2));
  for (const { headers, body } of local.received) {
    const given = { headers: headers as Record<string, string>, body };
    const event = await verifyWebhook({ ...given, secret: endpoint.secret });
    expect(event).toMatchObject({ type: 'otp.verified', data: { recipient: alice.recipient } });
    await expect(verifyWebhook({ ...given, secret: other.secret })).rejects.toMatchObject({
      reason: 'invalid_signature',
    });
    await expect(verifyWebhook({ ...given, body: `${body} `, secret: endpoint.secret })).rejects.toThrow();
    expect(headers['content-type']).toBe('application/json');
  }
  await eventually(() =>
    expect(running.out()).toMatch(
      /^(\d\d:\d\d:\d\d {2}otp\.verified {2}\S{36} {2}.+ {2}→ 204 {2}\d+ ms\n){2}$/,
    ),
  );
  const rows = await eventually(() => {
    const lines = asJson.out().trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    return lines.map((line) => JSON.parse(line));
  });
  expect(rows.map(({ webhook }) => webhook.id).sort()).toEqual(
    [endpoint.id, endpoint.id, other.id, other.id].sort(),
  );
  expect(rows.find(({ webhook }) => webhook.name === 'Other')).toMatchObject({
    type: 'otp.verified',
    status: null,
    error: 'connection failed',
  });
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(0);
});

test('a command whose connection is lost continues without a lost or repeated row', async () => {
  let upstream: AbortController | undefined;
  const lastIds: unknown[] = [];
  let refusals = 0;
  // A proxy that can cut the stream. It then refuses more often than the pauses between attempts would allow within the test.
  const proxy = createServer((request, response) => {
    upstream = new AbortController();
    lastIds.push(request.headers['last-event-id']);
    if (refusals-- > 0) return void response.writeHead(503, { 'retry-after': '0' }).end();
    const { host: _, connection: __, ...headers } = request.headers;
    fetch(url + request.url, { headers: headers as Record<string, string>, signal: upstream.signal })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        if (lastIds.at(-1)) response.write('event: overflow\ndata: {}\n\n');
        for await (const chunk of answer.body ?? []) response.write(chunk);
        response.end();
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const at = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  await using running = start(['logs', '--follow', '--json'], { SIXDIGIT_URL: at });
  await eventually(() => expect(running.error()).toContain('Following'));
  const ids = () =>
    running
      .out()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).otp.id);
  const first = await send('first@example.com');
  await eventually(() => expect(ids()).toEqual([first]));
  refusals = 7;
  upstream?.abort();
  const missed = await send('missed@example.com');
  await eventually(() => expect(ids()).toEqual([first, missed]));
  const next = await send('next@example.com');
  await eventually(() => expect(ids()).toEqual([first, missed, next]));
  expect(running.error()).toContain('Connecting again');
  expect(running.error()).toContain('some are missing');
  expect(lastIds[0]).toBeUndefined();
  expect(lastIds[1]).toMatch(/^[\w-]{36}$/);
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});

test('a command whose key is deleted ends with exit code 4', async () => {
  const key = await service.anotherKey(alice.account_id);
  await service.app.db.run(`update api_keys set scopes = '{events:read}' where id = $1`, [key.id]);
  await using running = start(['logs', '--follow'], { SIXDIGIT_API_KEY: key.key });
  await eventually(() => expect(running.error()).toContain('Following'));
  await service.app.db.run('update api_keys set deleted_at = clock_now() where id = $1', [key.id]);
  expect(await running.ended).toBe(4);
  expect(running.error()).toContain('Invalid API key (invalid_api_key)');
});

test.each([
  ['logs without --follow', ['logs'], {}, 2, 'usage'],
  ['listen without an address', ['listen'], {}, 2, 'usage'],
  ['listen with another scheme', ['listen', '--forward-to', 'ftp://127.0.0.1/'], {}, 2, 'usage'],
  ['a key without the scope', ['logs', '--follow'], { SIXDIGIT_API_KEY: 'bare' }, 4, 'missing_scope'],
  [
    'an unreachable service',
    ['logs', '--follow'],
    { SIXDIGIT_URL: 'http://127.0.0.1:9' },
    5,
    'connection_failed',
  ],
])('the exit code of %s is documented', async (_, args, env, code, reason) => {
  const bare = await service.anotherKey(alice.account_id);
  const given = 'SIXDIGIT_API_KEY' in env ? { SIXDIGIT_API_KEY: bare.key } : env;
  await using running = start([...args, '--json'], given as Record<string, string>);
  expect(await running.ended).toBe(code);
  expect(running.out()).toBe('');
  expect(JSON.parse(running.error())).toMatchObject({ reason });
});
