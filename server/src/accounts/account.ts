import type { User } from '@sixdigit/contract/accounts/accounts.ts';
import type { FailedSignIns } from '../audit/audit.ts';
import type { Carriers } from '../messaging/carriers/carriers.ts';
import { hasOptedOut } from '../messaging/opt-outs/opt-outs.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Needs, Platform } from '../platform/platform.ts';
import { type Batcher, lookupBatcher } from '../platform/queue/batcher.ts';
import type { Passwords } from './passwords/passwords.ts';
import { findPerson, PERSON, type Person } from './queries.ts';
import { LIVES } from './sessions/client.ts';
import type { Providers } from './sso/sso.ts';

/** The platform and ports that this module needs. */
export type App = Platform & {
  carriers: Pick<Carriers, 'has' | 'isSimulated' | 'sendsToPhones'>;
  passwords: Passwords;
  signInLookup: SignInLookup;
  ssoProviders: Providers;
  metrics: Pick<Metrics, 'ownSms'>;
  failedSignIns: FailedSignIns;
  /** Whether the account can enable auto-purchase. Throws `payment_provider_unavailable`. */
  hasSavedCard(account_id: string): Promise<boolean>;
  /** The operators' announcements to the user, and the user's own operator role. */
  fromOperators(person_id: string): Promise<Pick<User, 'announcements' | 'operator_role'>>;
};

/** The signed-in person. Throws `unauthenticated` if a concurrent request has deleted them. */
export async function personOf(sql: Sql, id: string): Promise<Person> {
  const person = await findPerson(sql, id);
  if (!person) throw new Failure('unauthenticated');
  return person;
}

export interface CodeRoute {
  channel: 'email' | 'sms';
  recipient: string;
}

/** How to send a code to the person: by their chosen method, or by the other method if the chosen one is unavailable. */
export async function codeRoute(app: App, person: Person): Promise<CodeRoute | undefined> {
  const phone = person.two_factor_phone || (person.phone_verified_at ? person.phone_number : '');
  const canText = phone !== '' && app.carriers.has('sms') && !(await hasOptedOut(app.db, app, phone));
  const sms: CodeRoute = { channel: 'sms', recipient: phone };
  if (canText && person.two_factor_enabled && person.two_factor_method === 'sms') return sms;
  if (app.carriers.has('email')) return { channel: 'email', recipient: person.email };
  return canText ? sms : undefined;
}

/**
 * Finds the person of a sign-in and whether the network is known, before any counting or hashing. Concurrent sign-ins share one
 * query, so that a flood costs the database a few queries per second.
 */
interface SignInQuestion {
  email: string;
  home: string | null;
}

interface SignInSubject {
  person: Person;
  isKnown: boolean;
}

type SignInLookup = Batcher<SignInQuestion, SignInSubject | undefined>;

export const createSignInLookup = ({ db }: Needs<'db'>): SignInLookup =>
  lookupBatcher((questions) => findSubjects(db, questions), { most: 256 });

async function findSubjects(sql: Sql, questions: SignInQuestion[]): Promise<(SignInSubject | undefined)[]> {
  const rows = await sql.rows<Person & { n: number; is_known: boolean }>(
    `select n, ${PERSON}, exists (
         select from account_networks where person_id = people.id and network = asked_home and ${LIVES}) as is_known
     from unnest($1::text[], $2::inet[]) with ordinality asked (asked_email, asked_home, n)
     join people on email = asked_email and deleted_at is null`,
    [questions.map(({ email }) => email), questions.map(({ home }) => home)],
  );
  const found = new Map(rows.map(({ n, is_known, ...person }) => [n, { person, isKnown: is_known }]));
  return questions.map((_, index) => found.get(index + 1));
}
