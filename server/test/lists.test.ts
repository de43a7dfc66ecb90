import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Owner, owner } from './belongings.ts';
import type { Answer } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';

/** What every list does alike. `search` finds one of Alice's rows, in other letters; a list without an entry fails. */
const LISTS: Record<string, { search: (alice: Owner) => string; params?: (alice: Owner) => { id: string } }> =
  {
    listVerifications: { search: ({ recipient }) => recipient },
    listRequestLogs: { search: ({ recipient }) => recipient },
    listApiKeys: { search: () => 'key of a' },
    listWebhooks: { search: () => 'HOOK OF' },
    listWebhookAttempts: {
      search: ({ message_id }) => message_id,
      params: ({ webhook_id }) => ({ id: webhook_id }),
    },
    listTransactions: { search: () => '100 CREDITS' },
    listTestMessages: { search: () => 'TESTER@' },
    listAuditEntries: { search: () => 'KEY OF' },
  };

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
  const { key } = (await service.call(createApiKey, { bearer: made.access, body })).body;
  const recipient = 'tester@example.com';
  for (let n = 0; n < 2; n++)
    await service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } });
  await service.drain();
  await service.app.requestLog.flush();
  return made;
});

type Row = Record<string, unknown>;
const read = async (route: Route, query: Record<string, unknown>) => {
  const entry = LISTS[route.name];
  if (!entry) throw new Error(`No entry for ${route.name}`);
  const { status, body }: Answer<Route> = await service.call(route, {
    bearer: alice.access,
    params: entry.params?.(alice) ?? {},
    query,
  });
  expect(status).toBe(200);
  return body as unknown as { results: Row[]; count: number };
};

test('the table of lists names every list of the contract, and nothing else', () => {
  expect(lists.map(({ name }) => name).toSorted()).toEqual(Object.keys(LISTS).toSorted());
});

describe.each(lists)('$name', (route) => {
  test(`${route.name} has pages that hold every row once, and an empty page past the end, each with the exact count`, async () => {
    const whole = await read(route, { page_size: 100 });
    expect(whole.results.length).toBeGreaterThan(0);
    expect(whole.count).toBe(whole.results.length);
    const pages = Array.from({ length: whole.count + 1 }, (_, n) =>
      read(route, { page: n + 1, page_size: 1 }),
    );
    expect(await Promise.all(pages)).toEqual([
      ...whole.results.map((row) => ({ results: [row], count: whole.count })),
      { results: [], count: whole.count },
    ]);
  });

  test(`a search of ${route.name} ignores case and treats wildcards and quotes literally`, async () => {
    const text = LISTS[route.name]?.search(alice) ?? '';
    for (const search of [text, ` ${text.toLowerCase()} `, text.toUpperCase()])
      expect((await read(route, { search })).count, search).toBeGreaterThan(0);
    for (const search of ['%', '\\', "'", '*', `${text.slice(0, 2)}%`, `${text[0]}_${text.slice(2)}`])
      expect((await read(route, { search })).results, search).toEqual([]);
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

  test(`${route.name} refuses an unknown ordering, page 0 and pages of more than 100 rows`, async () => {
    const bearer = alice.access;
    const params = LISTS[route.name]?.params?.(alice) ?? {};
    for (const query of [{ ordering: 'password' }, { page: 0 }, { page_size: 101 }])
      expect((await service.call(route, { bearer, params, query })).status).toBe(400);
  });
});
