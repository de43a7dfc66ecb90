import { signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { openLive } from '@sixdigit/contract/live.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { callOn } from '../../../test/call.ts';
import { fixture } from '../../../test/fixture.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { systemClock } from '../clock.ts';
import { systemRandom } from '../security/random.ts';
import { createLiveRows, type EventStream, type LiveRows, type StateOf } from './live.ts';

const NEVER: StateOf = async () => [];

function liveRows(sources: {
  verifications?: StateOf;
  openSessions?: (ids: readonly string[]) => Promise<string[]>;
}): LiveRows {
  const { verifications = NEVER, openSessions = async (ids) => [...ids] } = sources;
  const rows = createLiveRows(
    { db: {}, log: { debug: () => undefined }, random: systemRandom(systemClock) } as never,
    {
      states: { verifications, requests: NEVER, credits: NEVER },
      openSessions: async (_, asked) => {
        const open = await openSessions(asked.map(({ session_id }) => session_id));
        return asked.filter(({ session_id }) => open.includes(session_id));
      },
    },
  );
  // The first poll then reads the sessions and sends a heartbeat.
  const aMinuteLater = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  onTestFinished(() => {
    rows.close();
    aMinuteLater.mockRestore();
  });
  return rows;
}

/** The stream of an account, and what it has received. */
function subscribe(
  rows: LiveRows,
  account_id: string,
  person_id = account_id,
): { stream: EventStream; text: () => string } {
  const stream = rows.open({
    account_id,
    person_id,
    session_id: account_id,
    is_proven: false,
  } as never);
  let text = '';
  stream.on('data', (piece: string) => {
    text += piece;
  });
  return { stream, text: () => text };
}

const received = () => new Promise((resolve) => setImmediate(resolve));

test('a live stream opened while the sessions are being read stays open', async () => {
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<string[]>();
  const rows = liveRows({
    openSessions: (ids) => {
      asked.resolve();
      expect(ids).toEqual(['alice']);
      return read.promise;
    },
  });
  const alice = subscribe(rows, 'alice');
  const polled = rows.poll();
  await asked.promise;
  const bob = subscribe(rows, 'bob');
  read.resolve(['alice']);
  await polled;
  await received();
  expect(alice.stream.readableEnded).toBe(false);
  expect(bob.stream.readableEnded).toBe(false);
});

test('a live stream whose session has ended closes, even if a heartbeat is due', async () => {
  const rows = liveRows({ openSessions: async () => [] });
  const { stream, text } = subscribe(rows, 'alice');
  const closed = new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  await rows.poll();
  await closed;
  expect(text()).toMatch(/retry: 0\n\n$/);
});

test('a live stream reports ready only once it receives the next change', async () => {
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let state = 1;
  const rows = liveRows({
    verifications: async (_, ids) => {
      const rowsThen = ids.map((account_id) => ({ account_id, state: String(state) }));
      asked.resolve();
      await read.promise;
      return rowsThen;
    },
  });
  subscribe(rows, 'alice');
  const polled = rows.poll();
  await asked.promise;
  const bob = subscribe(rows, 'bob');
  read.resolve();
  await polled;
  await received();
  expect(bob.text()).not.toContain('ready');
  await rows.poll();
  await received();
  expect(bob.text()).toContain('event: ready');
  state = 2;
  await rows.poll();
  await received();
  expect(bob.text()).toContain('event: changed\ndata: {"topics":["verifications"]}');
});

const refusal = expect.objectContaining({ reason: 'live_limit_reached' });
const listenMany = (rows: LiveRows, accounts: number, each: number, prefix = 'account') =>
  Array.from({ length: accounts }, (_, n) =>
    Array.from({ length: each }, () => subscribe(rows, `${prefix} ${n}`)),
  );

test('a member may have five live streams', () => {
  const rows = liveRows({});
  for (let n = 0; n < 5; n++) subscribe(rows, 'Bob', 'member 0');
  expect(() => subscribe(rows, 'Bob', 'member 0')).toThrow(refusal);
});

test('an account has at most fifty live streams, and members with five tabs keep no other member from one', async () => {
  const rows = liveRows({});
  const of = (person_id: string) => {
    const opened = rows.open({ account_id: 'Acme', person_id, session_id: person_id } as never);
    let text = '';
    opened.on('data', (piece: string) => {
      text += piece;
    });
    return () => text;
  };
  const viewers = Array.from({ length: 10 }, (_, n) =>
    Array.from({ length: 5 }, () => of(`viewer ${n}`)),
  ).flat();
  expect(() => of('viewer 0')).toThrow(refusal);
  const owner = Array.from({ length: 4 }, () => of('owner'));
  await received();
  expect(viewers.map((text) => text().includes('retry')).filter(Boolean)).toHaveLength(4);
  expect(owner.some((text) => text().includes('retry'))).toBe(false);
});

test('in a full process, a new live stream ends the oldest one of the accounts with the most streams', async () => {
  const rows = liveRows({});
  const bystanders = listenMany(rows, 10, 2, 'bystander');
  const attackers = listenMany(rows, 196, 5, 'attacker');
  // One of them has opened all its streams again, so that its oldest is the newest.
  for (const { stream } of attackers[0] ?? []) {
    stream.destroy();
    await received();
    subscribe(rows, 'attacker 0');
  }
  subscribe(rows, 'Alice');
  subscribe(rows, 'Alice');
  await received();
  expect(attackers[1]?.[0]?.text()).toMatch(/retry: \d{5}\n\n$/);
  expect(attackers[2]?.[0]?.text()).toMatch(/retry: \d{5}\n\n$/);
  const ended = [...bystanders, ...attackers].flat().filter(({ text }) => text().includes('retry'));
  expect(ended).toHaveLength(2);
});

test('in a full process, an account cannot open a live stream unless another account has more', async () => {
  const rows = liveRows({});
  const all = listenMany(rows, 500, 2).flat();
  expect(() => subscribe(rows, 'account 0')).toThrow(refusal);
  await received();
  expect(all.some(({ text }) => text().includes('retry'))).toBe(false);
});

test('a process has at most 1,000 live streams, however many accounts open them', async () => {
  const rows = liveRows({});
  const all = listenMany(rows, 1_500, 1).flat();
  await received();
  expect(all.filter(({ text }) => !text().includes('retry'))).toHaveLength(1_000);
  expect(all.slice(0, 500).every(({ text }) => text().includes('retry'))).toBe(true);
});

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

test('a live stream reports sends and their changes, to their account only', async () => {
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

test('a live stream reports changes that another process has written', async () => {
  await using other = await anotherProcess(service);
  await using client = await listen(alice.access, await other.listen());
  await isReady(client);
  await send('other@example.com');
  await eventually(() => expect(topicsOf(client)).toContain('verifications'));
});

test('signing out ends a live stream, and its token cannot open another', async () => {
  const session = await anotherSession(service, alice);
  await using client = await listen(session.access);
  await isReady(client);
  await service.call(signOut, { body: { refresh: session.refresh } });
  await eventually(() => expect(client.isEnded()).toBe(true));
  await using again = await listen(session.access);
  expect(again.status).toBe(401);
});

test('closing one of an account’s five live streams makes room for another', async () => {
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

test('a stopping process ends its live streams immediately and sends clients a reconnection delay', async () => {
  const other = await anotherProcess(service);
  await using client = await listen(alice.access, await other.listen());
  await isReady(client);
  await other[Symbol.asyncDispose]();
  await eventually(() => expect(client.isEnded()).toBe(true));
  expect(client.text()).toMatch(/retry: \d{4}\n\n$/);
});

test('a client that reads is not disconnected, however much it has read', async () => {
  const { stream, text } = subscribe(liveRows({}), 'alice');
  for (let n = 0; n < 4; n += 1) {
    stream.send('row', { text: 'x'.repeat(20_000) });
    await received();
  }
  expect([stream.destroyed, text().length > 80_000]).toEqual([false, true]);
});
