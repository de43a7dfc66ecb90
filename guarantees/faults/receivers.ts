import { systemClock } from '../../server/src/platform/clock.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';
import { createVault } from '../../server/src/platform/security/vault.ts';
import { generateSecret, sealSecret } from '../../server/src/webhooks/message.ts';
import { type Receiver, startReceiver } from '../../server/test/fakes/receiver.ts';
import { quantile } from '../harness/load.ts';
import { SECRET_KEY } from '../harness/processes.ts';
import { atMost, none, print, type Scenario, some, until, wait } from '../harness/run.ts';
import { checkGuarantees, noRestart } from './assertions.ts';
import { type Fixture, startFixture } from './fixture.ts';

const HANGING = 20;
const BAD = ['/drip', '/drip-headers', '/huge', '/huge-headers', '/reset', '/500', '/truncated', '/garbage'];
const HEALTHY = 10;
const LASTS_MS = 40_000;
const GROWN_MEGABYTES = 150;

export const receivers: Scenario = {
  name: 'receivers',
  about: `${HANGING} webhook receivers that hang, others that drip, send 10 GB, redirect, disconnect or fail, next to ${HEALTHY} healthy ones`,
  async *run(cleanup) {
    const [bad, healthy] = [await startReceiver(), await startReceiver()];
    cleanup.defer(() => Promise.all([bad.close(), healthy.close()]).then(() => undefined));
    const fixture = await startFixture({ perSecond: 40, env: { WEBHOOK_ALLOW_PRIVATE: '1' } }, cleanup);
    const workersBefore = fixture.fleet.workers.map((worker) => worker.memory());
    const urls = [
      ...Array.from({ length: HANGING }, (_, n) => bad.at(`/hang?${n}`)),
      ...BAD.map((path) => bad.at(path)),
      bad.at(`/redirect?to=${healthy.at('/trap')}`),
    ];
    const good = fixture.people.slice(-HEALTHY);
    for (const [n, url] of urls.entries())
      await addEndpoint(fixture, fixture.people[n]?.account_id ?? '', url);
    for (const { account_id } of good) await addEndpoint(fixture, account_id, healthy.at('/ok'));
    await wait(LASTS_MS);
    const grown = fixture.fleet.workers.map(
      (worker, n) => (worker.memory() - (workersBefore[n] ?? 0)) / 1024 / 1024,
    );
    await fixture.stopLoad();
    const checks = await checkGuarantees(fixture);
    const left = () => undelivered(fixture, healthy);
    await until(10_000, async () => (await left()) === 0);
    const times = healthy.requests
      .filter(({ path }) => path === '/ok')
      .map(({ text, receivedAt }) => receivedAt.getTime() - Date.parse(JSON.parse(text).timestamp));
    const hung = bad.requests.filter(({ path }) => path.startsWith('/hang')).length;
    print(
      `  healthy: ${times.length} events, p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`,
    );
    yield* [
      some('messages that hung', hung),
      some('responses of 10 GB', bad.requests.filter(({ path }) => path === '/huge').length),
      atMost('events to healthy receivers, p99', 3_000, quantile(times, 0.99)),
      none('events that healthy receivers did not get', await left(), times.length),
      none('redirects followed', healthy.requests.filter(({ path }) => path === '/trap').length),
      none('attempts of more than 16 s', await longAttempts(fixture)),
      none(
        `workers that grew by more than ${GROWN_MEGABYTES} MB`,
        grown.filter((mb) => mb > GROWN_MEGABYTES).length,
      ),
      noRestart(fixture),
      ...checks,
    ];
  },
};

async function addEndpoint({ db }: Fixture, account_id: string, url: string): Promise<void> {
  const random = systemRandom(systemClock);
  const app = { random, vault: createVault(SECRET_KEY, [], random) };
  const id = random.uuid();
  await db.run(
    `insert into webhook_endpoints (id, account_id, name, url, secret, created_at) values ($1, $2, 'crash', $3, $4, now())`,
    [id, account_id, url, sealSecret(app, id, generateSecret(app))],
  );
}

/** Counts messages for healthy receivers that did not arrive. */
async function undelivered({ db }: Fixture, healthy: Receiver): Promise<number> {
  const rows = await db.rows<{ id: string }>(
    `select m.id from webhook_messages m join webhook_endpoints e on e.id = m.endpoint_id where e.url = $1`,
    [healthy.at('/ok')],
  );
  const got = new Set(healthy.requests.map(({ headers }) => headers['webhook-id']));
  return rows.filter(({ id }) => !got.has(id)).length;
}

const longAttempts = async ({ db }: Fixture): Promise<number> =>
  (await db.one<{ n: number }>('select count(*) as n from webhook_attempts where duration_ms > 16000')).n;
