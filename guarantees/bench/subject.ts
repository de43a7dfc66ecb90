/**
 * The measured service: the real one in a separate process, with a carrier that accepts every message at once. It writes webhook
 * messages but does not deliver them.
 */

import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { createApi, createApp } from '../../server/src/app.ts';
import type { Carrier, Message } from '../../server/src/messaging/carriers/carrier.ts';
import type { Carriers } from '../../server/src/messaging/carriers/carriers.ts';
import { otpJobs } from '../../server/src/otp/otp.ts';
import { noPlaces } from '../../server/src/platform/addresses/places.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { openDb, RESERVED_CONNECTIONS } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { startWork } from '../../server/src/platform/queue/work.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';
import { createVault } from '../../server/src/platform/security/vault.ts';
import { createWakeups } from '../../server/src/platform/wakeups.ts';
import { readConfig } from '../../server/src/settings/settings.ts';

/** `works` dispatches messages too; `api` only serves requests. */
const task = process.argv[2];
const config = readConfig(process.env);
const log = createLog('warn');
const random = systemRandom(systemClock);
const db = openDb({ url: config.databaseUrl ?? '', log, reserved: RESERVED_CONNECTIONS });
const vault = createVault(config.secretKey ?? '', [], random);
const app = createApp(
  { config, db, clock: systemClock, random, log, vault, placeOf: noPlaces, wakeups: createWakeups() },
  () => undefined,
);
const dispatched: { id: string; code: string; ms: number }[] = [];
app.carriers = benchCarriers((message) => {
  dispatched.push({
    id: message.id,
    code: message.code,
    ms: Date.now() - Number.parseInt(message.id.slice(0, 8) + message.id.slice(9, 13), 16),
  });
});
const server = await createApi(app);
await server.listen({ host: '127.0.0.1', port: 0 });
const address = server.server.address();
const working = task === 'works' ? await startWork(app, otpJobs(app), 'bench') : undefined;
const timer = setInterval(() => {
  if (dispatched.length > 0) process.send?.({ dispatched: dispatched.splice(0) });
}, 20);
process.on('message', (message) => {
  if (message === 'memory') process.send?.({ rss: process.memoryUsage().rss });
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system });
  }
  if (message === 'stop') void stop();
});
async function stop(): Promise<void> {
  await server.close();
  await working?.stop();
  await app.requestLog.close();
  clearInterval(timer);
  await db.close();
  process.disconnect();
}
process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });

/** A carrier that accepts every message at once, so that a run measures only the service. */
function benchCarriers(took: (message: Message) => void): Carriers {
  const carrier: Carrier = {
    name: 'bench',
    channels: CHANNELS,
    dispatch: (message) => {
      took(message);
      return Promise.resolve({ kind: 'accepted', provider_message_id: message.id });
    },
  };
  return {
    forChannel: () => [carrier],
    has: () => true,
    hasRoutes: () => false,
    find: () => undefined,
    setStored: () => undefined,
    sendsToPhones: () => false,
    isSimulated: () => false,
    feedback: () => [],
    close: async () => undefined,
  };
}
