import { leaveAccount } from '@sixdigit/contract/accounts/members.ts';
import { API_SCOPES, createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { openLive } from '@sixdigit/contract/live.ts';
import { neededRole } from '@sixdigit/contract/needed-roles.ts';
import { reportOutcome, type SendBody, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { API_BASE, paramsOf, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { createSuppression } from '@sixdigit/contract/suppressions.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import { createWebhook, listWebhookAttempts } from '@sixdigit/contract/webhooks.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer, CallInput } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { member } from './members.ts';
import { casesOf } from './ownership-cases.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/**
 * Every kind of row has this number and this address, also in texts. No response to a viewer may contain either, in any spelling,
 * and no search of a viewer may reveal it.
 */
const NUMBER = '+14155552684';
const ADDRESS = "hidden.o'friend@example.net";
const DIGITS = NUMBER.slice(1);

const receiver = fixture(() =>
  startReceiver({
    // Responds with everything that a viewer must not see, in several spellings.
    answer: ({ path, text }) => ({
      status: path.startsWith('/ok') ? 200 : 500,
      body: `${text} ${path} ${ADDRESS.toUpperCase()} (415) 555-2684 ${DIGITS} ${encodeURIComponent(`${NUMBER} ${ADDRESS}`)}`,
    }),
  }),
);
const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

let owner: string;
let viewer: CallInput<Route>;
/** Ids by the beginning of a path, for its parameters. */
let ids: Record<string, Record<string, string>[]>;

type Must = <R extends Route>(route: R, input: CallInput<R>) => Promise<Answer<R>['body']>;

beforeAll(async () => {
  owner = await signedIn(service, alice);
  viewer = await member(service, alice, 'viewer');
  const must = async <R extends Route>(route: R, input: CallInput<R>) => {
    const answer = await service.call(route, input);
    expect(answer).toMatchObject({ status: route.status });
    return answer.body;
  };
  const query = `?to=${encodeURIComponent(NUMBER)}&mail=${encodeURIComponent(ADDRESS)}`;
  const hooks = await Promise.all(
    ['/ok', '/bad'].map((path) =>
      must(createWebhook, {
        bearer: owner,
        body: { name: `Hook of ${NUMBER}`, url: receiver.at(path + query) },
      }),
    ),
  );
  const { body: key } = await service.call(createApiKey, {
    bearer: owner,
    body: { name: 'Test', mode: 'test' },
  });
  const apiKey = alice.api_key;
  const sent: string[] = [];
  for (const [channel, recipient] of [
    ['sms', NUMBER],
    ['voice', NUMBER],
    ['email', ADDRESS],
  ] as const) {
    const body = { channel, recipient, message: `For ${recipient}: {code}` } as z.input<typeof SendBody>;
    const { otp_id } = await must(sendOtp, { apiKey, body });
    sent.push(otp_id);
    await must(sendTestCode, { bearer: owner, body: { api_key: key.id, channel, recipient } });
    await service.call(verifyOtp, { apiKey, body: { otp_id, code: '00000' } });
  }
  const { otp_id: own_code } = await ownCodes(must);
  sent.push(own_code);
  await service.drain();
  const deny = ['number', 'prefix'].map((kind) => ({
    kind: kind as 'number',
    value: kind === 'number' ? NUMBER : NUMBER.slice(0, -4),
    note: `${NUMBER} ${ADDRESS}`,
  }));
  await must(updateProtection, { bearer: owner, body: { deny } });
  await must(createSuppression, { bearer: owner, body: { recipient: ADDRESS } });
  await service.call(sendOtp, { apiKey, body: { channel: 'sms', recipient: NUMBER } });
  // A carrier's text, and the error of an endpoint.
  const { db } = service.app;
  const text = `Refused: ${DIGITS}, ${NUMBER}, (415) 555-2684 and ${ADDRESS} are unknown`;
  await db.run(`update verifications set failure = $1, provider_message_id = $2 where account_id = $3`, [
    text,
    `SM${DIGITS}`,
    alice.account_id,
  ]);
  await db.run(
    `insert into status_history (account_id, otp_id, previous_status, new_status, changed_at, notes)
     select account_id, id, 'sent', 'sent', clock_now(), $1 from verifications where account_id = $2`,
    [text, alice.account_id],
  );
  await db.run('update webhook_attempts set error = $1 where account_id = $2', [text, alice.account_id]);
  await service.app.requestLog.flush();
  const attempts = await Promise.all(
    hooks.map(async ({ id }) => ({
      id,
      ...(await must(listWebhookAttempts, { bearer: owner, params: { id } })),
    })),
  );
  ids = {
    '/verifications/:id': sent.map((id) => ({ id })),
    '/webhooks/:id': attempts.flatMap(({ id, results }) =>
      results.map((attempt) => ({ id, attempt_id: attempt.id })),
    ),
  };
});

/** A code of the caller's own, and one of a connection whose text contains the number. A number that is not valid is refused. */
async function ownCodes(must: Must): Promise<{ otp_id: string }> {
  const { key } = await must(createApiKey, {
    bearer: owner,
    body: { name: 'Own codes', scopes: [...API_SCOPES] },
  });
  const made = await must(sendOtp, {
    apiKey: key,
    body: { channel: 'sms', recipient: NUMBER, code: 'OWNC0DE', message: `For ${NUMBER}: {code}` },
  });
  await must(reportOutcome, {
    apiKey: key,
    params: { otp_id: made.otp_id },
    body: { verified: true },
  });
  const { id, secret } = await must(createConnection, {
    bearer: owner,
    body: { system: 'authentik', name: 'Sign-in', message: `Not you? Call ${NUMBER}. {code}` },
  });
  for (const [to, status] of [
    [NUMBER, 200],
    [NUMBER.slice(0, -3), 400],
  ] as const) {
    const { statusCode } = await service.inject({
      method: 'POST',
      url: `${API_BASE}/in/${id}/sms`,
      headers: { authorization: `Bearer ${secret}` },
      payload: { To: to, Body: '424242' },
    });
    expect(statusCode).toBe(status);
  }
  return made;
}

const forViewers = routes.filter(
  (route) =>
    neededRole(route) === 'viewer' &&
    route.name !== openLive.name &&
    route.name !== leaveAccount.name &&
    !/^.(auth|profile.(?!email))|profile.$/.test(route.path),
);
const shapeOf = ({ query }: Route): Record<string, z.ZodType> =>
  query instanceof z.ZodObject ? query.shape : {};

/** Requests that show as many rows as possible. */
function requestsOf(route: Route): CallInput<Route>[] {
  const shape = shapeOf(route);
  const query = {
    ...('page_size' in shape && { page_size: 100 }),
    ...('mode' in shape && { mode: 'all' }),
  };
  if (route.method !== 'GET') {
    const its = casesOf(alice as never)[route.name];
    if (typeof its === 'object' && 'own' in its) return [its.own];
  }
  if (paramsOf(route.path).length === 0) return [{ query }];
  const [, named = []] = Object.entries(ids).find(([path]) => route.path.startsWith(path)) ?? [];
  if (named.length === 0) throw new Error(`${route.path}: no ids for its parameters`);
  return named.map((params) => ({ query, params }));
}

async function responsesTo(as: CallInput<Route>, route: Route): Promise<string> {
  const texts = [];
  for (const input of requestsOf(route)) {
    const { status, body, headers } = await service.call(route, { ...input, ...as });
    expect({ route: route.name, status }).toEqual({ route: route.name, status: route.status });
    texts.push(JSON.stringify([body, headers]));
  }
  return texts.join('\n');
}

/** The recipients that a text contains, in any spelling. */
function foundIn(text: string): string[] {
  const plain = decoded(text).toLowerCase();
  const digits = plain.replace(/[\s().\\-]/g, '');
  return [
    ...(digits.includes(DIGITS.slice(1)) ? [NUMBER] : []),
    ...(plain.includes(ADDRESS) ? [ADDRESS] : []),
  ];
}
const decoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

test.each(forViewers.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  'a viewer finds no whole recipient in the response to $name',
  async ({ route }) => {
    expect(foundIn(await responsesTo(viewer, route))).toEqual([]);
  },
);

test('the same calls show an owner the recipients', async () => {
  const showing: string[] = [];
  for (const route of forViewers)
    if (foundIn(await responsesTo({ bearer: owner }, route)).length > 0) showing.push(route.name);
  expect(showing.toSorted()).toEqual([
    'exportRequestLogs',
    'exportVerifications',
    'exportWebhookAttempts',
    'getProtection',
    'getVerification',
    'getWebhookAttempt',
    'listConnections',
    'listRequestLogs',
    'listVerificationWebhooks',
    'listVerifications',
    'listWebhookAttempts',
    'listWebhookMessages',
    'listWebhooks',
  ]);
});

test('a viewer gets every id, time and state that an owner gets', async () => {
  const KEPT = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|"(?:status|state)":"\w+"/g;
  for (const route of forViewers) {
    const [some, all] = await Promise.all(
      [viewer, { bearer: owner }].map(async (as) => (await responsesTo(as, route)).match(KEPT) ?? []),
    );
    expect({ route: route.name, found: some?.length }).toEqual({ route: route.name, found: all?.length });
  }
});

describe('a viewer’s search', () => {
  const searched = forViewers.filter((route) => 'search' in shapeOf(route));
  const parts = (text: string, lengths: readonly number[]): string[] =>
    lengths.flatMap((length) =>
      Array.from({ length: text.length - length + 1 }, (_, from) => text.slice(from, from + length)),
    );
  const PARTS = [
    ...parts(NUMBER, [3, 4, 7, 10, 11]),
    ...parts('(415) 555-2684', [5, 9, 13]),
    ...parts(ADDRESS, [4, 9, ADDRESS.length - 1]),
    ...[NUMBER, DIGITS, DIGITS.slice(1), '(415) 555-2684', ADDRESS, ADDRESS.toUpperCase()],
  ];
  /** The rows of a list or an export, or the number of sends that figures count. */
  const rowsOf = ({ body }: { body: Record<string, unknown> }): number => {
    if (Array.isArray(body.results)) return body.results.length;
    if (body.totals) return (body.totals as { sent: number }).sent;
    return String(body.text).trim().split('\r\n').length - 1;
  };

  test.each(searched.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
    'a viewer’s search with $name finds nothing by a recipient or a part of it',
    async ({ route }) => {
      const [input = {}] = requestsOf(route);
      const find = (search: string) =>
        service.call(route, { ...input, ...viewer, query: { ...(input.query as object), search } });
      const all = await find('');
      expect(rowsOf(all)).toBeGreaterThan(0);
      // A part that the mask leaves visible may match its row.
      const seen = JSON.stringify(all.body).toLowerCase();
      const hidden = PARTS.filter((part) => !seen.includes(part.trim().toLowerCase()));
      expect(hidden.length).toBeGreaterThan(40);
      for (const part of hidden) expect({ part, rows: rowsOf(await find(part)) }).toEqual({ part, rows: 0 });
    },
  );
});

test('the live events of a viewer contain no recipient', async () => {
  const origin = await service.listen();
  const stop = new AbortController();
  const response = await fetch(`${origin}${API_BASE}${openLive.path}`, {
    headers: { authorization: `Bearer ${viewer.bearer}`, ...viewer.headers },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  const arrived = (event: string) => text.includes(`event: ${event}`);
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (arrived('changed')) break;
    if (arrived('ready'))
      await service.call(sendOtp, {
        apiKey: alice.api_key,
        body: { channel: 'email', recipient: ADDRESS },
      });
  }
  stop.abort();
  expect(foundIn(text)).toEqual([]);
});
