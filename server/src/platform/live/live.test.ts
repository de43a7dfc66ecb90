import { signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { openLive } from '@sixdigit/contract/live.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { callOn } from '../../../test/call.ts';
import { fixture } from '../../../test/fixture.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);
let url: string;
let alice: Person;
let key: string;
beforeAll(async () => {
  url = await service.listen();
  alice = await person(service, 'Alice');
  key = (await service.call(createApiKey, { bearer: alice.access, body: { name: 'Key' } })).body.key;
});
afterAll(async () => {
  // `fetch` may have opened a connection ahead of any request.
  service.server.server.closeAllConnections();
});

interface Client extends AsyncDisposable {
  status: number;
  headers: Headers;
  /** everything received so far */
  text: () => string;
  isEnded: () => boolean;
}

async function listen(access: string, at = url): Promise<Client> {
  const leaving = new AbortController();
  const answer = await fetch(`${at}${API_BASE}${openLive.path}`, {
    headers: { authorization: `Bearer ${access}` },
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
const topicsOf = (client: Client): string[] =>
  [...client.text().matchAll(/event: changed\ndata: (.*)\n\n/g)].flatMap(
    ([, data = '']) => (JSON.parse(data) as { topics: string[] }).topics,
  );
const send = async (recipient: string): Promise<string> => {
  const body = { channel: 'email', recipient } as const;
  const sent = await service.call(sendOtp, { apiKey: key, body });
  expect(sent.status).toBe(201);
  return sent.body.otp_id;
};

test('a listener hears of sends and of their changes, and another account does not', async () => {
  const bob = await person(service, 'Bob');
  await using hers = await listen(alice.access);
  await using his = await listen(bob.access);
  expect(hers.status).toBe(200);
  expect(hers.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(hers.headers.get('x-accel-buffering')).toBe('no');
  expect(hers.headers.get('cache-control')).toBe('no-store, no-transform');
  await isReady(hers);
  await isReady(his);
  const otp_id = await send('ann@example.com');
  await eventually(() =>
    expect(topicsOf(hers)).toEqual(expect.arrayContaining(['verifications', 'credits'])),
  );
  await service.drain();
  const before = topicsOf(hers).length;
  const [message] = await service.inbox('ann@example.com');
  await service.call(verifyOtp, { apiKey: key, body: { otp_id, code: message?.code ?? '' } });
  await eventually(() => expect(topicsOf(hers).slice(before)).toContain('verifications'));
  await service.app.requestLog.flush();
  await eventually(() => expect(topicsOf(hers)).toContain('requests'));
  expect(topicsOf(his)).toEqual([]);
});

test('a listener hears of what another process has written', async () => {
  await using other = await anotherProcess(service);
  await using client = await listen(alice.access, await other.listen());
  await isReady(client);
  await send('other@example.com');
  await eventually(() => expect(topicsOf(client)).toContain('verifications'));
});

test('sign-out ends a stream, and its token opens no other', async () => {
  const session = await anotherSession(service, alice);
  await using client = await listen(session.access);
  await isReady(client);
  await service.call(signOut, { body: { refresh: session.refresh } });
  await eventually(() => expect(client.isEnded()).toBe(true));
  await using again = await listen(session.access);
  expect(again.status).toBe(401);
});

test('an account has five streams at once, and one that leaves makes room', async () => {
  await using all = new AsyncDisposableStack();
  const clients: Client[] = [];
  for (let n = 0; n < 5; n++) clients.push(all.use(await listen(alice.access)));
  expect(clients.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 200));
  const refused = await callOn(service.server, openLive, { bearer: alice.access });
  expect(refused).toMatchObject({ status: 429, body: { reason: 'live_limit_reached' } });
  await clients[0]?.[Symbol.asyncDispose]();
  await eventually(async () => {
    await using next = await listen(alice.access);
    expect(next.status).toBe(200);
  });
});

test('a process that stops ends its streams at once and tells clients when to return', async () => {
  const other = await anotherProcess(service);
  await using client = await listen(alice.access, await other.listen());
  await isReady(client);
  await other[Symbol.asyncDispose]();
  await eventually(() => expect(client.isEnded()).toBe(true));
  expect(client.text()).toMatch(/retry: \d{4}\n\n$/);
});
