import type { Sql } from '../platform/db/sql.ts';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import { queueLimits } from '../platform/queue/queue-limits.ts';
import { LIVES } from './known-networks.ts';
import { ACCOUNT, type Account } from './queries.ts';

/**
 * Finds the account of a sign-in and whether the network is known, before any counting or hashing. Concurrent sign-ins share one
 * query, so that a flood costs the database a few queries per second.
 */
export interface SignInQuestion {
  email: string;
  home: string | null;
}

export interface SignInSubject {
  account: Account;
  isKnown: boolean;
}

export type SignInLookup = Batcher<SignInQuestion, SignInSubject | undefined>;

export const createSignInLookup = ({ db }: Needs<'db'>): SignInLookup =>
  batcher({
    run: (questions) => findSubjects(db, questions),
    most: 256,
    concurrency: 2,
    isOutage: isDatabaseUnavailable,
    queueLimits,
  });

async function findSubjects(sql: Sql, questions: SignInQuestion[]): Promise<(SignInSubject | undefined)[]> {
  const rows = await sql.rows<Account & { n: number; is_known: boolean }>(
    `select n, ${ACCOUNT}, exists (
         select from account_networks where account_id = accounts.id and network = asked_home and ${LIVES}) as is_known
     from unnest($1::text[], $2::inet[]) with ordinality asked (asked_email, asked_home, n)
     join accounts on email = asked_email and deleted_at is null`,
    [questions.map(({ email }) => email), questions.map(({ home }) => home)],
  );
  const found = new Map(rows.map(({ n, is_known, ...account }) => [n, { account, isKnown: is_known }]));
  return questions.map((_, index) => found.get(index + 1));
}
