import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { denyDestination } from '@sixdigit/contract/protection/protection.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Owner, owner } from './belongings.ts';
import type { Answer } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';

interface List {
  search(alice: Owner): string;
  params?(alice: Owner): { id: string };
  /** a row contains `LITERAL` */
  hasLiteral?: true;
}

/** What every list does alike. `search` finds one of Alice's rows, in other letters; a list without an entry fails. */
const LISTS: Record<string, List> = {
  listVerifications: { search: ({ recipient }) => recipient },
  listRequestLogs: { search: ({ recipient }) => recipient },
  listApiKeys: { search: () => 'key of a', hasLiteral: true },
  listWebhooks: { search: () => 'HOOK OF', hasLiteral: true },
  listWebhookAttempts: {
    search: ({ message_id }) => message_id,
    params: ({ webhook_id }) => ({ id: webhook_id }),
  },
  listWebhookMessages: {
    search: ({ message_id }) => message_id,
    params: ({ webhook_id }) => ({ id: webhook_id }),
  },
  listSuppressions: { search: () => '@ALICE.EXAMPLE' },
  listTransactions: { search: () => '100 CREDITS' },
  listTestMessages: { search: () => 'TESTER@' },
  listAuditEntries: { search: () => 'KEY OF' },
  listDecisions: { search: () => '1415555' },
};

/** The name of a key and of an endpoint. */
const LITERAL = "100% _ \\ it's";

const shapeOf = ({ query }: Route): Record<string, z.ZodType> =>
  query instanceof z.ZodObject ? query.shape : {};
const lists = routes.filter((route) => 'page_size' in shapeOf(route));
const orderingsOf = (route: Route): string[] =>
  (z.toJSONSchema(shapeOf(route).ordering ?? z.never()) as { enum?: string[] }).enum ?? [];

const receiver = fixture(startReceiver);
const service = fixture(testService);
const alice = fixture(async () => {
  const made = await owner(service, 'Alice', receiver.at('/ok'));
  const body = { name: 'Test', mode: 'test' };
  await service.call(createApiKey, { bearer: made.access, body: { name: LITERAL } });
  await service.call(createWebhook, {
    bearer: made.access,
    body: { name: LITERAL, url: receiver.at('/ok') },
  });
  const { key } = (await service.call(createApiKey, { bearer: made.access, body })).body;
  const recipient = 'tester@example.com';
  for (let n = 0; n < 2; n++)
    await service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } });
  const entry = { kind: 'prefix', value: '+14155' } as const;
  await service.call(denyDestination, { bearer: made.access, body: entry });
  for (const number of ['+14155550188', '+14155560188'])
    await service.call(sendOtp, { apiKey: made.api_key, body: { channel: 'sms', recipient: number } });
  await service.app.protection.exchange();
  await service.drain();
  await service.app.requestLog.flush();
  await lastUsesWritten();
  return made;
});

/** The last use of a key is written within a second, and would change a row between two reads. */
async function lastUsesWritten(): Promise<void> {
  await vi.waitFor(
    async () => {
      const unwritten = await service.app.db.rows(
        `select 1 from api_keys k where last_used_at is null and exists (
           select from request_logs where api_key_id = k.id)`,
      );
      expect(unwritten).toEqual([]);
    },
    { timeout: 10_000 },
  );
}

type Row = Record<string, unknown>;
const call = (route: Route, query: Record<string, unknown>): Promise<Answer<Route>> =>
  service.call(route, { bearer: alice.access, params: LISTS[route.name]?.params?.(alice) ?? {}, query });
const read = async (route: Route, query: Record<string, unknown>) => {
  const { status, body } = await call(route, query);
  expect(status).toBe(200);
  return body as unknown as { results: Row[]; count: number };
};

test('the table of lists has exactly the lists of the contract', () => {
  expect(lists.map(({ name }) => name).toSorted()).toEqual(Object.keys(LISTS).toSorted());
});

describe.each(lists)('$name', (route) => {
  test.each(orderingsOf(route))(
    `the pages of ${route.name} ordered by %s have every row once and end after the last`,
    async (ordering) => {
      const whole = await read(route, { page_size: 100, ordering });
      expect(whole.results.length).toBeGreaterThan(0);
      expect(whole.count).toBe(whole.results.length);
      const numbers = [...whole.results.map((_, n) => n + 1), whole.count + 1, 10_000_000];
      const pages = numbers.map((page) => read(route, { page, page_size: 1, ordering }));
      expect(await Promise.all(pages)).toEqual([
        ...whole.results.map((row) => ({ results: [row], count: whole.count })),
        { results: [], count: whole.count },
        { results: [], count: whole.count },
      ]);
    },
  );

  test(`a search of ${route.name} ignores case and treats wildcards and quotes literally`, async () => {
    const text = LISTS[route.name]?.search(alice) ?? '';
    for (const search of [text, ` ${text.toLowerCase()} `, text.toUpperCase()])
      expect((await read(route, { search })).count, search).toBeGreaterThan(0);
    for (const search of ['%e%', '*', "' or '1'='1", `${text.slice(0, 2)}%`, `${text[0]}_${text.slice(2)}`])
      expect((await read(route, { search })).results, search).toEqual([]);
    if (!LISTS[route.name]?.hasLiteral) return;
    const { results, count } = await read(route, { search: LITERAL });
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan((await read(route, {})).count);
    for (const search of ['%', ' _ ', '\\', "it's"])
      expect(await read(route, { search }), search).toEqual({ results, count });
  });

  test.each(orderingsOf(route).filter((one) => !one.startsWith('-')))(
    `${route.name} is ordered by %s in both directions`,
    async (field) => {
      const [up, down] = await Promise.all(
        [field, `-${field}`].map(async (ordering) =>
          (await read(route, { page_size: 100, ordering })).results.map((row) => row[field] ?? null),
        ),
      );
      const known = (values: unknown[] = []) => values.filter((value) => value !== null);
      expect(known(up)).toEqual(known(down).toReversed());
      expect(down?.length).toBeGreaterThan(0);
    },
  );

  test.each([
    ...['password', 'id', '-', '--created_at', 'created_at,id', 'created_at desc', 'count(*)'].map(
      (ordering): [string, string] => ['ordering', ordering],
    ),
    ['page', '0'],
    ['page', 'x'],
    ['page_size', '0'],
    ['page_size', '101'],
    ['search', 'a\0b'],
  ])(`${route.name} refuses the %s %j with a field error`, async (field, value) => {
    const { status, body } = await call(route, { [field]: value });
    expect(status).toBe(400);
    expect(body).toHaveProperty(field);
  });
});
