import { listWebhookMessages, replayWebhookMessage, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import type { TestDatabase } from '../database.ts';
import { runSql } from '../database-url.ts';
import { startHttpCarrier } from '../fakes/http-carrier.ts';
import { startReceiver } from '../fakes/receiver.ts';
import { testService } from '../service.ts';
import type { LivelyFacts } from './facts.ts';
import { buyCredits, setUpAccounts, signEverybodyUp } from './people.ts';
import { nothingSent, refuseRequests, sendOfEachFate, sendOthers } from './sends.ts';
import { DAY, HOUR, MINUTE, pathOf, type Teller, teller } from './teller.ts';
import {
  addCarriers,
  createConnections,
  createEndpoints,
  createKeys,
  deleteKey,
  turnCarriersOff,
} from './tools.ts';

/** The last row is this old when the database is made, so that nothing in it is still pending. */
const ENDS_BEFORE = 2 * HOUR;

/** The settings of the service, which the rows need. */
export const LIVELY_ENV = { ALLOWED_COUNTRIES: '*' };

/** Fills a migrated database by the calls of customers and operators over six days. */
export async function makeLively(database: TestDatabase): Promise<LivelyFacts> {
  await runSql(database.socketUrl, `select ensure_partitions((now() - interval '7 days')::date, 1)`);
  await using service = await testService({ on: database, env: LIVELY_ENV, aheadMs: -6 * DAY });
  const startedAt = Date.now();
  await using receiver = await startReceiver({
    answer: ({ path }) => ({
      status: path === '/failing' || (path === '/replayed' && isDown) ? 503 : 200,
      body: 'Größe: "ok" & done',
    }),
  });
  let isDown = true;
  await using gateway = await startHttpCarrier({
    now: () => service.app.clock.now(),
    send: async ({ url, headers, body }) =>
      (await service.inject({ method: 'POST', url: pathOf(url), headers, payload: body })).statusCode,
  });
  const told = teller({ service, gateway, receiver });
  const age = () => startedAt - service.app.clock.now().getTime();
  const people = await signEverybodyUp(told);
  const { invitations } = await setUpAccounts(told);
  const { purchases } = await buyCredits(told);
  const keys = await createKeys(told);
  const carriers = await addCarriers(told);
  const connections = await createConnections(told);
  const endpoints = await createEndpoints(told);
  const made = { keys, connections, endpoints, carriers };
  const sent = nothingSent();
  for (let day = 0; day < 3; day += 1) {
    const began = age();
    await sendOfEachFate(told, made, sent, day);
    await sendOthers(told, made, sent, day);
    await refuseRequests(told, made, sent, day);
    if (day === 0) {
      await deleteKey(told, keys.deleted);
      await stopEndpoint(told, endpoints.failing.id, 'Lager <alt>', '/failing');
    }
    await service.clock.advance(Math.max(MINUTE, DAY - (began - age())));
    await service.drain();
    if (day === 1) {
      isDown = false;
      await replay(told, endpoints.replayed.id);
    }
  }
  await turnCarriersOff(told);
  // The retries of a failing endpoint end after three days.
  await service.clock.advance(age() - ENDS_BEFORE);
  await service.drain({ keepHouse: true });
  return { people, invitations, purchases, keys, carriers, connections, endpoints, ...sent };
}

async function stopEndpoint({ must, bearer, receiver }: Teller, id: string, name: string, path: string) {
  const body = {
    name,
    url: receiver.at(path),
    is_active: false,
    send_on_verified: false,
    send_on_sent: false,
  };
  await must(updateWebhook, { bearer: await bearer('alice'), params: { id }, body });
}

/** Delivers two messages that failed. */
async function replay({ must, bearer, service }: Teller, id: string): Promise<void> {
  const { results } = await must(listWebhookMessages, {
    bearer: await bearer('adam'),
    params: { id },
    query: { failing: 'true' },
  });
  for (const { id: message_id } of results.slice(0, 2))
    await must(replayWebhookMessage, { bearer: await bearer('adam'), params: { id, message_id } });
  await service.drain();
}
