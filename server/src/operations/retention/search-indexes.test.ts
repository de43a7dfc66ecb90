import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { holdLock } from '../../../test/held-lock.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { SERVICE_LOCKS } from '../../platform/db/advisory-locks.ts';

const DAY = 86_400_000;

test('past months get their search indexes once, and an unfinished index is rebuilt', async () => {
  await using service = await testService();
  const { db } = service.app;
  const alice = await service.customer('Alice');
  const body = { channel: 'email', recipient: 'found@example.com' };
  await service.call(sendOtp, { apiKey: alice.api_key, body });
  const month = `verifications_${new Date(service.app.clock.now()).toISOString().slice(0, 7).replace('-', '_')}`;
  const indexes = () =>
    db.rows<{ oid: number; name: string; whole: boolean }>(
      `select x.indexrelid as oid, n.relname as name, x.indisvalid as whole from pg_index x join pg_class n on n.oid = x.indexrelid
       where x.indrelid = $1::text::regclass and n.relname ~ '_(recipient|api_key)$' order by 2`,
      [month],
    );
  await service.drain({ keepHouse: true });
  expect(await indexes()).toEqual([]);
  await service.clock.advance(32 * DAY);
  const other = await holdLock(service, `select pg_advisory_xact_lock(${SERVICE_LOCKS.searchIndexes})`, []);
  await service.drain({ keepHouse: true });
  expect(await indexes(), 'while another process builds').toEqual([]);
  await other.commit();
  await other[Symbol.asyncDispose]();
  await service.drain({ keepHouse: true });
  const made = await indexes();
  expect(made).toMatchObject([
    { name: `${month}_api_key`, whole: true },
    { name: `${month}_recipient`, whole: true },
  ]);
  await service.clock.advance(DAY);
  await service.drain({ keepHouse: true });
  expect(await indexes()).toEqual(made);

  // The invalid index that a killed process leaves.
  await db.run(`update pg_index set indisvalid = false where indexrelid = $1`, [made[1]?.oid]);
  await service.clock.advance(DAY);
  await service.drain({ keepHouse: true });
  const again = await indexes();
  expect(again.map(({ whole }) => whole)).toEqual([true, true]);
  expect(again[1]?.oid).not.toBe(made[1]?.oid);

  const bearer = await signedIn(service, alice);
  const found = await service.call(listVerifications, { bearer, query: { search: 'OUND@' } });
  expect(found.body.results).toMatchObject([{ recipient: 'found@example.com' }]);
});
