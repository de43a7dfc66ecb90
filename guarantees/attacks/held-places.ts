/** Attacks by many accounts that occupy a process's limited slots with responses that never end. */

import { followEvents, STREAMS_OF_KEY } from '@sixdigit/contract/events.ts';
import { openLive } from '@sixdigit/contract/live.ts';
import { exportRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { fillAccounts } from '../harness/accounts.ts';
import { type Attack, many, statusesOf } from './attack.ts';
import type { Target } from './target.ts';

/** More data than fits in the buffers between the service and a client that does not read. */
const ROWS = 20_000;

/** Keeps the responses referenced: garbage collection would close them. */
const held: Response[] = [];

/** Starts a response without reading it. `secret` is a session's token or an API key. */
async function hold({ url }: Target, route: Route, secret: string, { signal }: AbortController) {
  const isOfKey = route.auth === 'api_key';
  const response = await fetch(url + API_BASE + route.path + (isOfKey ? '?topic=requests' : ''), {
    headers: {
      ...(isOfKey ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` }),
      'x-forwarded-for': '203.0.113.60',
      'x-forwarded-proto': 'https',
    },
    signal,
  });
  held.push(response);
  return response.status;
}

async function bearersOf(target: Target, count: number): Promise<{ account_id: string; bearer: string }[]> {
  const accounts = await fillAccounts(target.databaseUrl, { accounts: count, keysEach: 1 });
  return many(count, 4, async (n) => {
    const account_id = accounts[n]?.account_id ?? '';
    return { account_id, bearer: await target.session(account_id) };
  });
}

/** Inserts request logs with long recipients for these accounts. */
const fillLogs = ({ db }: Target, account_ids: readonly string[]): Promise<unknown> =>
  db.run(
    `insert into request_logs (account_id, id, api_key_id, created_at, response_time_ms, response_status_code, request_type, recipient)
     select k.account_id, overlay(uuid_floor(clock_now())::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, k.id, clock_now(), 1, 400,
       'send_otp', repeat('x', 300)
     from api_keys k, generate_series(1, $2::integer) n where k.account_id = any ($1::uuid[])`,
    [account_ids, ROWS],
  );

export const heldPlaces: Attack[] = [
  {
    name: '24 accounts start two exports each and do not read them',
    promise: 'another account exports within 15 s',
    async run(target) {
      const [victim, ...attackers] = await bearersOf(target, 25);
      if (!victim) throw new Error('No account');
      await fillLogs(
        target,
        attackers.map(({ account_id }) => account_id),
      );
      const leaving = new AbortController();
      try {
        const statuses = await many(48, 24, (n) =>
          hold(target, exportRequestLogs, attackers[n % 24]?.bearer ?? '', leaving),
        );
        const beganMs = performance.now();
        let status = 0;
        while (status !== 200 && performance.now() - beganMs < 15_000) {
          ({ status } = await target.call(exportRequestLogs, { bearer: victim.bearer }));
          if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 500));
        }
        const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
        return {
          measured: `${statusesOf(statuses)} for the attackers; ${status} for the other account after ${seconds} s`,
          holds: status === 200 && statuses.includes(200) && statuses.includes(429),
        };
      } finally {
        leaving.abort();
      }
    },
  },
  {
    name: '60 accounts open twenty live streams each',
    promise: 'each account gets five, and another account can open one immediately',
    async run(target) {
      const [victim, ...attackers] = await bearersOf(target, 61);
      if (!victim) throw new Error('No account');
      const leaving = new AbortController();
      try {
        const statuses = await many(1_200, 40, (n) =>
          hold(target, openLive, attackers[n % 60]?.bearer ?? '', leaving),
        );
        const status = await hold(target, openLive, victim.bearer, leaving);
        return {
          measured: `${statusesOf(statuses)} for the attackers; ${status} for the other account`,
          holds: status === 200 && statuses.filter((one) => one === 200).length === 300,
        };
      } finally {
        leaving.abort();
      }
    },
  },
  {
    name: '100 accounts open twenty event streams each with an API key',
    promise: 'each key gets three at most, 200 stay open, and another account can open one immediately',
    async run(target) {
      const [victim, ...attackers] = await fillAccounts(target.databaseUrl, { accounts: 101, keysEach: 1 });
      if (!victim) throw new Error('No account');
      await target.db.run(
        `update api_keys set scopes = scopes || '{events:read}' where account_id = any ($1)`,
        [[victim, ...attackers].map(({ account_id }) => account_id)],
      );
      const leaving = new AbortController();
      try {
        const statuses = await many(2_000, 40, (n) =>
          hold(target, followEvents, attackers[n % 100]?.key ?? '', leaving),
        );
        const status = await hold(target, followEvents, victim.key, leaving);
        const opened = statuses.filter((one) => one === 200).length;
        return {
          measured: `${statusesOf(statuses)} for the attackers; ${status} for the other account`,
          holds: status === 200 && opened >= 200 && opened <= 100 * STREAMS_OF_KEY,
        };
      } finally {
        leaving.abort();
      }
    },
  },
];
