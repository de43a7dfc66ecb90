import { type Account, fillAccounts } from '../harness/accounts.ts';
import { countQueued } from '../harness/audit.ts';
import {
  type Answered,
  closedLoop,
  nextPhone,
  openLoop,
  type Prepared,
  quantile,
  verifyRequest,
} from '../harness/load.ts';
import { type Check, check, none, print, type Scenario, some, until, wait } from '../harness/run.ts';
import { checkGuarantees, noRestart } from './assertions.ts';
import { type Fixture, startFixture } from './fixture.ts';

/** The number of messages in the queue while verifies are measured. */
const WAITING = Number(process.env.CRASH_WAITING ?? 20_000);
/** Verifies before and during the outage. */
const VERIFIES = { perSecond: 50, seconds: 10 };
const EACH = VERIFIES.perSecond * VERIFIES.seconds;
/** Longer than the scenario, so that codes do not expire. */
const EXPIRES_IN = 3_600;

export const waiting: Scenario = {
  name: 'waiting',
  about: `a carrier that is down while ${WAITING.toLocaleString('en-US')} messages wait for it`,
  async *run(cleanup) {
    const fixture = await startFixture({ perSecond: 10, expiresIn: EXPIRES_IN, verifies: false }, cleanup);
    const { carrier, url, db } = fixture;
    const accounts = await fillAccounts(url, { accounts: 1_000, keysEach: 1 });
    carrier.everyone = 'accept';
    print(`  ${2 * EACH} messages are dispatched`);
    const sent = await sendMany(fixture, accounts, 2 * EACH);
    await until(120_000, async () => {
      const arrived = new Set(carrier.messages.map(({ id }) => id));
      return sent.every(({ id }) => arrived.has(id));
    });
    const before = await verifyEach(fixture, sent.slice(0, EACH));
    print('  the carrier is down');
    carrier.everyone = 'error';
    await sendMany(fixture, accounts, WAITING);
    const queued = await countQueued(db);
    print(`  ${queued} messages wait`);
    const during = await verifyEach(fixture, sent.slice(EACH));
    carrier.everyone = 'accept';
    print('  the carrier is up again');
    const drainedMs = await until(300_000, async () => (await countQueued(db)) < WAITING / 100);
    await fixture.stopLoad();
    await wait(500);
    const checks = await checkGuarantees(fixture, {});
    yield* [
      some(`messages that waited, of ${WAITING}`, queued >= WAITING ? queued : 0),
      none('verifies that failed', before.failed + during.failed, before.waits.length + during.waits.length),
      slower(before.waits, during.waits),
      some('the queue was dispatched once the carrier was up', drainedMs < 300_000 ? 1 : 0),
      noRestart(fixture),
      ...checks,
    ];
  },
};

function slower(before: readonly number[], during: readonly number[]): Check {
  const [usual, slowed] = [quantile(before, 0.99), quantile(during, 0.99)];
  return check(
    'p99 of verifies',
    '≤ 2 × the value before',
    `${(slowed / usual).toFixed(1)} × (${usual.toFixed(0)} → ${slowed.toFixed(0)} ms)`,
    slowed <= 2 * usual,
  );
}

interface Sent {
  id: string;
  key: string;
}

/** Sends to new numbers until `count` sends were acknowledged. */
async function sendMany({ ports, recorder }: Fixture, accounts: readonly Account[], count: number) {
  const sent: Sent[] = [];
  const people = new Map<string, Account>();
  let turn = 0;
  const next = (): Prepared | undefined => {
    if (sent.length >= count) return undefined;
    const person = accounts[turn++ % accounts.length] as Account;
    const recipient = nextPhone();
    people.set(recipient, person);
    return {
      path: '/api/v1/otp/send/',
      headers: { 'x-api-key': person.key },
      body: JSON.stringify({ channel: 'sms', recipient, expires_in: EXPIRES_IN }),
    };
  };
  const note =
    (port: number) =>
    ({ status, body }: Answered) => {
      if (status !== 201) return;
      const { otp_id, recipient } = JSON.parse(body) as { otp_id: string; recipient: string };
      const person = people.get(recipient) as Account;
      recorder.acknowledged.set(otp_id, { ...person, otp_id, recipient, port, at_ms: Date.now() });
      sent.push({ id: otp_id, key: person.key });
    };
  const load = { connections: 32, seconds: 300 };
  await Promise.all(ports.map((port) => closedLoop(port, load, next, 201, note(port))));
  return sent;
}

/** Verifies each message once, at a steady rate. */
async function verifyEach({ ports, carrier, recorder }: Fixture, sent: readonly Sent[]) {
  const codes = new Map(carrier.messages.map(({ id, code }) => [id, code]));
  let n = 0;
  let failed = 0;
  const next = (): Prepared | undefined => {
    const one = sent[n++];
    return one && verifyRequest(one.key, one.id, codes.get(one.id));
  };
  const waits = await openLoop(ports[0] as number, { ...VERIFIES, connections: 16 }, next, (answered) => {
    if (answered.status !== 200) failed++;
    else recorder.verified.add((JSON.parse(answered.body) as { otp_id: string }).otp_id);
  });
  return { waits, failed };
}
