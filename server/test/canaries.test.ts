import { deleteMe } from '@sixdigit/contract/accounts/accounts.ts';
import { deleteApiKey } from '@sixdigit/contract/api-keys.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { listWebhookAttempts, replayWebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { redact } from '../src/platform/log.ts';
import { changeSettings, signUpInAndOut } from './canary-account.ts';
import { breakTheDatabase, payWithTestCards } from './canary-failures.ts';
import { hunt, type Place, placesOfLog, placesOfRows } from './canary-hunt.ts';
import { sendCodes, useConnections, useEndpoints } from './canary-sends.ts';
import { passwordIn, type Somebody, startCanaryService } from './canary-service.ts';
import { dumpTables } from './table-dump.ts';

/**
 * Uses every feature with recognizable secrets: secrets that people enter, that the service generates, and that
 * reach carriers and endpoints. Afterwards no log line, no table row and no undocumented response may contain one.
 */
const stage = await startCanaryService();
const { service, canaries, answers, call, must, learnCodes, close } = stage;
afterAll(close);

/** The calls whose response may show a secret to its owner. */
const SHOWN: Record<string, readonly string[]> = {
  'access token': ['signIn', 'verifyTwoFactor', 'refreshTokens'],
  'refresh token': ['signIn', 'verifyTwoFactor', 'refreshTokens'],
  'session token': ['signUp', 'signIn', 'forgotPassword', 'updateTwoFactor'],
  'API key': ['createApiKey'],
  'connection secret': ['createConnection', 'rotateConnection'],
  // The field `secret` of any response.
  'webhook secret': ['createWebhook', 'rotateWebhookSecret', 'createConnection', 'rotateConnection'],
  'client secret': ['createIntent', 'createWithSaved'],
  // The request that it made, and its message.
  code: ['testConnection'],
  'webhook address': ['createWebhook', 'updateWebhook', 'listWebhooks'],
};
/** A webhook's URL is stored in plain text because the service calls it. The client secrets of test cards protect no money. */
const KEPT: Record<string, readonly string[]> = {
  'webhook address': ['webhook_endpoints'],
  'client secret': ['sandbox_intents'],
};

const somebody: Somebody = {
  email: 'ana@people.test',
  phone_number: '4155550101',
  password: '',
  access: '',
  refresh: '',
  apiKey: '',
};

test('canary secrets pass through sign-up, sign-in and sign-out', () => signUpInAndOut(stage, somebody));

test('canary secrets pass through settings, two-factor by SMS and password changes', () =>
  changeSettings(stage, somebody));

test('canary secrets pass through API keys and webhook endpoints, as generated, chosen and rotated secrets', () =>
  useEndpoints(stage, somebody));

test('canary codes pass through every channel, with carriers that refuse, disconnect, echo and report', () =>
  sendCodes(stage, somebody));

test('canary secrets and codes pass through connections, right and wrong', () =>
  useConnections(stage, somebody));

test('canary secrets pass through payments with new, saved and declined test cards', () =>
  payWithTestCards(stage, somebody));

test('canary secrets are in requests that database errors interrupt', () =>
  breakTheDatabase(stage, somebody));

test('every list and detail with canary secrets is read, and one account is deleted', async () => {
  await service.drain();
  const { access: bearer, apiKey } = somebody;
  const verifications = await must(listVerifications, { bearer, query: { page_size: 100 } });
  for (const { id } of verifications.results) await must(getVerification, { bearer, params: { id } });
  const { results: hooks } = (await must(routes.find(({ name }) => name === 'listWebhooks') as Route, {
    bearer,
  })) as unknown as { results: { id: string }[] };
  for (const { id } of hooks) {
    const { results } = await must(listWebhookAttempts, {
      bearer,
      params: { id },
      query: { page_size: 100 },
    });
    const [attempt] = results;
    if (attempt?.otp_id)
      await must(replayWebhookMessage, { bearer, params: { id, message_id: attempt.message_id } });
  }
  await service.drain();
  for (const route of routes.filter(
    ({ method, path, stream }) => method === 'GET' && !path.includes(':') && stream !== 'text/event-stream',
  ))
    await must(route, {
      ...(route.auth === 'api_key' ? { apiKey } : { bearer }),
      ...(route.name === 'getRecipient' && { query: { recipient: verifications.results[0]?.recipient } }),
    } as never);
  for (const url of [
    '/metrics',
    '/config.json',
    '/readyz',
    '/sandbox/messages',
    `${API_BASE}/openapi.json`,
  ]) {
    const { body } = await service.inject({ url, headers: { host: 'localhost' } });
    answers.push({ name: url, text: body, route: url });
  }
  const keys = await service.app.db.rows<{ id: string }>('select id from api_keys');
  for (const { id } of keys) await call(deleteApiKey, { bearer, params: { id } });
  // Everything but what an account leaves behind is dumped twice: before it goes, and after.
  before = placesOfRows(await dumpTables(service.app.db));
  await call(deleteMe, { bearer, body: { password: passwordIn(stage, 'not quite') } });
  await must(deleteMe, { bearer, body: { password: somebody.password } });
  await service.drain();
  await service.app.requestLog.flush();
  learnCodes();
});
let before: Place[];

describe('after the life of an account', () => {
  test('no log line contains a planted secret, at any level', () => {
    expect(service.logLines.length).toBeGreaterThan(20);
    expect(hunt(canaries, placesOfLog(service.logLines))).toEqual([]);
  });

  test('the terminal output contains no planted secret', () => {
    expect(hunt(canaries, placesOfLog(service.printed))).toEqual([]);
  });

  test('no response contains a planted secret unless the contract documents it', () => {
    expect(answers.length).toBeGreaterThan(100);
    const found = answers.flatMap((answer) =>
      hunt(
        canaries.filter(({ kind }) => !SHOWN[kind]?.includes(answer.route)),
        [answer],
      ),
    );
    expect(found).toEqual([]);
  });

  test('no row of any table contains a planted secret, as text or as bytes', async () => {
    const rows = [...before, ...placesOfRows(await dumpTables(service.app.db))];
    expect(rows.length).toBeGreaterThan(200);
    const found = rows.flatMap((row) =>
      hunt(
        canaries.filter(({ kind }) => !KEPT[kind]?.some((table) => row.name === `table ${table}`)),
        [row],
      ),
    );
    expect(found).toEqual([]);
  });

  test('the search for secrets finds a planted one', async () => {
    const { db } = service.app;
    for (const canary of canaries) {
      const [row] = await db.rows<{ text: string; bytes: string }>(
        `select row($1::text, clock_now())::text as text, row(convert_to($1, 'UTF8'))::text as bytes`,
        [canary.text],
      );
      const planted = [
        {
          name: 'log',
          text: JSON.stringify({ msg: `took ${canary.text} ms`, at: new Date().toISOString() }),
        },
        { name: 'row', text: row?.text ?? '' },
        { name: 'bytes', text: row?.bytes ?? '' },
      ];
      for (const place of planted) expect(hunt([canary], [place]), place.text).toHaveLength(1);
    }
    const times = placesOfLog([
      '2026-11-21 05:01:34.123456+00',
      '0199e0a0-1234-7000-8000-000000123456',
      '\\x00123456',
    ]);
    expect(hunt([{ kind: 'code', text: '123456' }], times)).toEqual([]);
    expect(JSON.stringify(redact({ deep: { password: 'x' } }))).toContain('[redacted]');
  });
});
