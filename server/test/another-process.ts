import type { Route } from '@sixdigit/contract/route.ts';
import { expect, vi } from 'vitest';
import { type App, allJobs, createApi, createApp } from '../src/app.ts';
import { openDb } from '../src/platform/db/sql.ts';
import type { Job } from '../src/platform/queue/job.ts';
import type { Vault } from '../src/platform/security/vault.ts';
import { createWakeups } from '../src/platform/wakeups.ts';
import { type Answer, type CallInput, callOn } from './call.ts';
import { checkAnswers } from './openapi-answers.ts';
import { settlerOf, type TestService } from './service.ts';

/** A second process of the service, which shares only the database with the first. */
export interface AnotherProcess extends AsyncDisposable {
  app: App;
  jobs: Job[];
  /** Listens on a free port of the loopback address. */
  listen(): Promise<string>;
  call<R extends Route>(route: R, input?: CallInput<R>): Promise<Answer<R>>;
  inject: TestService['inject'];
}

/** Resolves when the process has once more read the settings, which it does twice a second. */
export async function untilSettingsAreRead({ app }: AnotherProcess): Promise<void> {
  const reading = vi.spyOn(app.live, 'refresh');
  await expect.poll(() => reading.mock.results.length).toBeGreaterThan(0);
  await reading.mock.results[0]?.value;
  reading.mockRestore();
}

/** `vault`: if it has another server key than the first process. */
export async function anotherProcess(
  service: TestService,
  vault: Vault = service.app.vault,
): Promise<AnotherProcess> {
  const { config, clock, random, log, placeOf } = service.app;
  const db = openDb({ url: service.databaseUrl, log, max: 20, applicationName: 'sixdigit test, another' });
  const app = createApp(
    { config, db, clock, random, log, vault, placeOf, wakeups: createWakeups() },
    () => {},
  );
  const server = await createApi(app);
  const answers = checkAnswers(server);
  const forget = service.clock.settleFirst(settlerOf(app, server));
  await server.ready();
  return {
    app,
    jobs: allJobs(app),
    async listen() {
      await server.listen({ host: '127.0.0.1', port: 0 });
      const address = server.server.address();
      return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    },
    call: (route, input) => callOn(server, route, input),
    inject: (options) => server.inject(options),
    async [Symbol.asyncDispose]() {
      forget();
      await server.close();
      await app.batches.idle();
      await app.requestLog.close();
      await app.carriers.close();
      await db.close();
      answers.assertRight();
    },
  };
}
