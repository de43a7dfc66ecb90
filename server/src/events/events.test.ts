import {
  EVENTS_PER_SECOND,
  followEvents,
  SignedMessage,
  STREAMS_OF_ACCOUNT,
  STREAMS_OF_KEY,
} from '@sixdigit/contract/events.ts';
import { listRequestLogs, RequestLog } from '@sixdigit/contract/request-logs.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { rotateWebhookSecret, testWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { type WebhookCustomer, webhookCustomer } from '../../test/webhook-customer.ts';
import { hashOfKey } from '../api-keys/api-keys.ts';
import { uuidFloor } from '../platform/security/random.ts';
import { verifySigned } from '../platform/signing/standard-webhooks.ts';
import { createEventStreams } from './events.ts';

const service = fixture(testService);
let url: string;
let alice: WebhookCustomer;
let bob: WebhookCustomer;
beforeAll(async () => {
  url = await service.listen();
  alice = await webhookCustomer(service, 'Alice');
  bob = await webhookCustomer(service, 'Bob');
  await allow(alice.api_key_id);
  await allow(bob.api_key_id);
});
afterAll(() => service.server.server.closeAllConnections());

const allow = (id: string) =>
  service.app.db.run(`update api_keys set scopes = scopes || '{events:read}' where id = $1`, [id]);

async function newKey(account_id: string, mode: 'live' | 'test' = 'live') {
  const made = await service.anotherKey(account_id);
  await allow(made.id);
  await service.app.db.run('update api_keys set mode = $2 where id = $1', [made.id, mode]);
  return made;
}

interface Event {
  event: string;
  id: string | undefined;
  data: unknown;
}

interface Client extends AsyncDisposable {
  status: number;
  headers: Headers;
  text: () => string;
  events: () => Event[];
  isEnded: () => boolean;
}

async function follow(
  key: string,
  topic: string,
  { at = url, headers = {} as Record<string, string> } = {},
): Promise<Client> {
  const leaving = new AbortController();
  const answer = await fetch(`${at}${API_BASE}${followEvents.path}?topic=${topic}`, {
    headers: { 'x-api-key': key, ...headers },
    signal: leaving.signal,
  });
  let text = '';
  let isEnded = false;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
  })()
    .catch(() => undefined)
    .finally(() => {
      isEnded = true;
    });
  return {
    status: answer.status,
    headers: answer.headers,
    text: () => text,
    events: () =>
      [...text.matchAll(/event: (\w+)\n(?:id: (\S+)\n)?data: (.*)\n\n/g)].map(
        ([, event = '', id, data = '']) => ({
          event,
          id,
          data: JSON.parse(data),
        }),
      ),
    isEnded: () => isEnded,
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await reading;
    },
  };
}

const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: 15_000, interval: 50 });
const isReady = (client: Client) => eventually(() => expect(client.text()).toContain('event: ready'));
const rowsOf = (client: Client): Event[] =>
  client.events().filter(({ event }) => event === 'request' || event === 'webhook');

const REFUSED = [{ field: 'message', message: 'message must contain {code}', value: 'Hello' }];
let recipients = 0;
/** A request log row of a key, `agoMs` old. */
async function request(customer: { account_id: string; api_key_id: string }, agoMs = 0): Promise<string> {
  recipients += 1;
  const { db, clock } = service.app;
  const id =
    uuidFloor(new Date(clock.now().getTime() - agoMs)).slice(0, 24) + String(recipients).padStart(12, '0');
  await db.run(
    `insert into request_logs (account_id, id, api_key_id, created_at, response_time_ms, response_status_code, request_type,
       channel, recipient, refused_fields)
     values ($1, $2, $3, clock_now(), 3, 400, 'send_otp', 'email', $4, $5)`,
    [customer.account_id, id, customer.api_key_id, `r${recipients}@example.com`, JSON.stringify(REFUSED)],
  );
  return id;
}

test('a stream reports the requests of its account and mode, and no others', async () => {
  const tester = await newKey(alice.account_id, 'test');
  await using live = await follow(alice.api_key, 'requests');
  await using tests = await follow(tester.key, 'requests');
  await using other = await follow(bob.api_key, 'requests');
  expect(live.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(live.headers.get('cache-control')).toBe('no-store, no-transform');
  for (const client of [live, tests, other]) await isReady(client);
  const id = await request(alice);
  const tested = await request({ account_id: alice.account_id, api_key_id: tester.id });
  await eventually(() => {
    expect(rowsOf(live).map((row) => row.id)).toEqual([id]);
    expect(rowsOf(tests).map((row) => row.id)).toEqual([tested]);
  });
  expect(RequestLog.parse(rowsOf(live)[0]?.data)).toMatchObject({
    id,
    test: false,
    response_status_code: 400,
    refused_fields: REFUSED,
  });
  // As the list returns it.
  const { body: list } = await service.call(listRequestLogs, { bearer: alice.bearer, query: { search: id } });
  expect(rowsOf(live)[0]?.data).toEqual(list.results[0]);
  expect(RequestLog.parse(rowsOf(tests)[0]?.data)).toMatchObject({ id: tested, test: true });
  expect(rowsOf(other)).toEqual([]);
});

test('a stream of webhooks has each message as its endpoint gets it, with a valid signature and no secret', async () => {
  const endpoint = await alice.addEndpoint('http://127.0.0.1:1/');
  await bob.addEndpoint('http://127.0.0.1:1/');
  await using client = await follow(alice.api_key, 'webhooks');
  await using other = await follow(bob.api_key, 'webhooks');
  await isReady(client);
  await isReady(other);
  await alice.publish('verified');
  const message = await eventually(() => SignedMessage.parse(rowsOf(client)[0]?.data));
  expect(message).toMatchObject({ type: 'otp.verified', webhook: { id: endpoint.id, name: endpoint.name } });
  expect(JSON.parse(message.body)).toMatchObject({
    type: 'otp.verified',
    data: { recipient: alice.recipient },
  });
  const isGenuine = (secret: string, { headers, body }: SignedMessage) =>
    verifySigned({ secret, headers, rawBody: body, now: service.app.clock.now() });
  expect(isGenuine(endpoint.secret, message)).toBe(true);
  expect(isGenuine(endpoint.secret, { ...message, body: `${message.body} ` })).toBe(false);

  const { body: rotated } = await service.call(rotateWebhookSecret, {
    bearer: alice.bearer,
    params: { id: endpoint.id },
  });
  await service.call(testWebhook, { bearer: alice.bearer, params: { id: endpoint.id } });
  const tested = await eventually(() => SignedMessage.parse(rowsOf(client)[1]?.data));
  expect(tested.type).toBe('webhook.test');
  for (const secret of [endpoint.secret, rotated.secret]) expect(isGenuine(secret, tested)).toBe(true);
  expect(client.text()).not.toMatch(/whsec_/);
  expect(client.text()).not.toContain(alice.api_key);
  expect(rowsOf(other)).toEqual([]);
});

test('a stream reports each row once, also one that became visible late', async () => {
  await using client = await follow(alice.api_key, 'requests');
  await isReady(client);
  const early = await request(alice);
  await eventually(() => expect(rowsOf(client).map(({ id }) => id)).toEqual([early]));
  const late = await request(alice, 8_000);
  await eventually(() => expect(rowsOf(client).map(({ id }) => id)).toEqual([early, late]));
  const last = await request(alice);
  await eventually(() => expect(rowsOf(client).map(({ id }) => id)).toEqual([early, late, last]));
});

test('a stream reports rows that another process has written, and ends when its own process stops', async () => {
  const other = await anotherProcess(service);
  await using client = await follow(alice.api_key, 'requests', { at: await other.listen() });
  await isReady(client);
  const id = await request(alice);
  await eventually(() => expect(rowsOf(client).map((row) => row.id)).toContain(id));
  await other[Symbol.asyncDispose]();
  await eventually(() => expect(client.isEnded()).toBe(true));
  expect(client.text()).toMatch(/retry: \d{4}\n\n$/);
});

test('an interrupted stream continues after the last event that its client has', async () => {
  const ancient = await request(alice, 301_000);
  const missed = await request(alice, 200_000);
  const known = await request(alice, 90_000);
  const later = await request(alice, 60_000);
  const latest = await request(alice, 1_000);
  await using client = await follow(alice.api_key, 'requests', { headers: { 'last-event-id': known } });
  await isReady(client);
  const ids = () => rowsOf(client).map(({ id }) => id);
  await eventually(() => expect(ids()).toEqual(expect.arrayContaining([later, latest])));
  expect(ids()).not.toContain(known);
  // At least once: a row from shortly before may be repeated.
  expect(ids().filter((id) => id === latest)).toHaveLength(1);
  await using old = await follow(alice.api_key, 'requests', {
    headers: { 'last-event-id': uuidFloor(new Date(0)) },
  });
  await using wrong = await follow(alice.api_key, 'requests', { headers: { 'last-event-id': "'; drop" } });
  await isReady(old);
  await isReady(wrong);
  await eventually(() => expect(rowsOf(old).map(({ id }) => id)).toContain(missed));
  expect(rowsOf(old).map(({ id }) => id)).not.toContain(ancient);
  expect(rowsOf(wrong).map(({ id }) => id)).not.toContain(latest);
  const [ready] = wrong.events();
  expect(ready).toMatchObject({ event: 'ready', id: expect.stringMatching(/^[\w-]{36}$/) });
  const next = await request(alice);
  await using again = await follow((await newKey(alice.account_id)).key, 'requests', {
    headers: { 'last-event-id': ready?.id ?? '' },
  });
  await eventually(() => expect(rowsOf(again).map(({ id }) => id)).toContain(next));
});

describe('the end of a key', () => {
  test.each([
    ['is deleted', 'update api_keys set deleted_at = clock_now() where id = $1'],
    [
      'is rotated without an overlap',
      `update api_keys set hash = decode(md5(id::text), 'hex') where id = $1`,
    ],
    ['expires', 'update api_keys set expires_at = clock_now() where id = $1'],
    ['loses the scope', `update api_keys set scopes = '{otp:read}' where id = $1`],
    [
      'is limited to other networks',
      `update api_keys set allowed_networks = '{203.0.113.0/24}' where id = $1`,
    ],
  ])('a stream whose key %s ends without a later event', async (_, change) => {
    const key = await newKey(alice.account_id);
    await using client = await follow(key.key, 'requests');
    await isReady(client);
    await service.app.db.run(change, [key.id]);
    const after = await request(alice);
    await eventually(() => expect(client.isEnded()).toBe(true));
    expect(client.text()).not.toContain(after);
    expect(client.text()).toMatch(/retry: 0\n\n$/);
    await using again = await follow(key.key, 'requests');
    expect(again.status).toBe(401);
  });

  test('the streams of a suspended account end, and those of other accounts go on', async () => {
    const carol = await service.customer('Carol');
    await allow(carol.api_key_id);
    await using client = await follow(carol.api_key, 'requests');
    await using other = await follow(bob.api_key, 'requests');
    await isReady(client);
    await isReady(other);
    await service.app.db.run('update accounts set suspended_at = clock_now() where id = $1', [
      carol.account_id,
    ]);
    await eventually(() => expect(client.isEnded()).toBe(true));
    expect(other.isEnded()).toBe(false);
  });

  test('a stream does not send a row that was written after its key was deleted, even within one poll', async () => {
    const key = await newKey(alice.account_id);
    const { db } = service.app;
    let after = '';
    const rows: typeof db.rows = async (text, values) => {
      if (isArmed && text.includes('from request_logs')) {
        isArmed = false;
        await db.run('update api_keys set deleted_at = clock_now() where id = $1', [key.id]);
        after = await request(alice);
      }
      return db.rows(text, values);
    };
    let isArmed = false;
    const streams = createEventStreams({ ...service.app, db: { ...db, rows } });
    const stream = streams.open({
      account_id: alice.account_id,
      api_key_id: key.id,
      is_test: false,
      topic: 'requests',
      use: { hash: hashOfKey(key.key), ip: '127.0.0.1', scope: 'events:read' },
    });
    let text = '';
    stream.on('data', (piece: string) => (text += piece));
    await streams.poll();
    isArmed = true;
    await streams.poll();
    await new Promise((resolve) => stream.once('end', resolve));
    expect(text).toContain('event: ready');
    expect(after).not.toBe('');
    expect(text).not.toContain(after);
    streams.close();
  });

  test('a retired secret follows until it expires', async () => {
    const key = await newKey(alice.account_id);
    await service.app.db.run(
      `update api_keys set retired_hash = hash, retired_prefix = prefix, hash = decode(md5(id::text), 'hex'),
         retired_until = clock_now() + interval '1 hour' where id = $1`,
      [key.id],
    );
    await using client = await follow(key.key, 'requests');
    await isReady(client);
    await service.app.db.run(`update api_keys set retired_until = clock_now() where id = $1`, [key.id]);
    await eventually(() => expect(client.isEnded()).toBe(true));
  });
});

describe('the limits', () => {
  test('a key and an account have a limited number of streams, and a closed one makes room', async () => {
    const dave = await service.customer('Dave');
    await allow(dave.api_key_id);
    const second = await newKey(dave.account_id);
    await using all = new AsyncDisposableStack();
    const clients: Client[] = [];
    const open = async (key: string) => {
      const client = await follow(key, 'requests');
      if (client.status === 200) clients.push(all.use(client));
      return client;
    };
    for (let n = 0; n < STREAMS_OF_KEY; n += 1) expect((await open(dave.api_key)).status).toBe(200);
    expect(
      await service.call(followEvents, { apiKey: dave.api_key, query: { topic: 'requests' } }),
    ).toMatchObject({
      status: 429,
      body: { reason: 'stream_limit_reached', retry_after: 60 },
    });
    for (let n = STREAMS_OF_KEY; n < STREAMS_OF_ACCOUNT; n += 1)
      expect((await open(second.key)).status).toBe(200);
    expect((await open(second.key)).status).toBe(429);
    await clients[0]?.[Symbol.asyncDispose]();
    await eventually(async () => expect((await open(second.key)).status).toBe(200));
  });

  test('a process has at most 200 streams, and a new one replaces the oldest of the account with the most', () => {
    const streams = createEventStreams(service.app);
    const follower = (account: string, key = account) => ({
      account_id: account,
      api_key_id: key,
      is_test: false,
      topic: 'requests' as const,
      use: { hash: Buffer.alloc(32), ip: '127.0.0.1', scope: 'events:read' as const },
    });
    const attackers = Array.from({ length: 40 }, (_, n) =>
      Array.from({ length: 5 }, (_, key) => streams.open(follower(`attacker ${n}`, `key ${n} ${key % 2}`))),
    ).flat();
    const others = Array.from({ length: 3 }, (_, n) => streams.open(follower(`other ${n}`)));
    const ended = () =>
      attackers.filter(({ readableEnded, readableLength }) => readableEnded || readableLength > 4);
    expect(ended()).toEqual(attackers.filter((_, n) => n % 5 === 0).slice(0, 3));
    expect(others.every(({ destroyed }) => !destroyed)).toBe(true);
    expect(() => streams.open(follower('attacker 39', 'another'))).toThrow(
      expect.objectContaining({ reason: 'stream_limit_reached' }),
    );
    streams.close();
  });

  test('a burst of events arrives over several seconds, and the stream reports that some may be missing', async () => {
    await using client = await follow(bob.api_key, 'requests');
    await isReady(client);
    const count = EVENTS_PER_SECOND + 50;
    await service.app.db.run(
      `insert into request_logs (account_id, id, api_key_id, created_at, response_time_ms, response_status_code, request_type)
       select $1, new_uuid(), $2, clock_now(), 1, 400, 'send_otp' from generate_series(1, $3)`,
      [bob.account_id, bob.api_key_id, count],
    );
    await eventually(() => expect(rowsOf(client)).toHaveLength(count));
    expect(client.events().filter(({ event }) => event === 'overflow')).toHaveLength(1);
    expect(new Set(rowsOf(client).map(({ id }) => id)).size).toBe(count);
  });
});

test('a stream needs the scope events:read and a known topic', async () => {
  const key = await service.anotherKey(alice.account_id);
  expect(await service.call(followEvents, { apiKey: key.key, query: { topic: 'requests' } })).toMatchObject({
    status: 401,
    body: { reason: 'missing_scope', scope: 'events:read' },
  });
  expect(
    await service.call(followEvents, { apiKey: alice.api_key, query: { topic: 'secrets' as 'requests' } }),
  ).toMatchObject({
    status: 400,
    body: { topic: ['Topic must be one of: requests, webhooks.'] },
  });
});
