import { inject } from 'vitest';
import { clientOf } from '../src/accounts/sessions/client.ts';
import { startSession } from '../src/accounts/sessions/sessions.ts';
import { adminUrl, cloneOf } from './database.ts';
import { openClient } from './database-url.ts';
import { makeOnce } from './kept-database.ts';
import { keepRows, restoreRows } from './kept-rows.ts';
import { type LivelyFacts, type LivelyPerson, PERSON_NAMES, type PersonName } from './lively/facts.ts';
import { LIVELY_ENV, makeLively } from './lively/make.ts';
import type { Person } from './person.ts';
import { type TestService, type TestServiceOptions, testService } from './service.ts';

export type { LivelyFacts } from './lively/facts.ts';

/**
 * A service on a database in which nothing is neutral: two accounts with people of every role, keys, connections, endpoints,
 * purchases, and six days of verifications of every status. It is cloned, so a test can change everything. The newest rows are
 * between two hours and a day old, and nothing is pending.
 *
 * ```ts
 * const service = fixture(lively);
 * test('…', async () => {
 *   const { alice } = service.people;
 *   const { body } = await service.call(listApiKeys, { bearer: alice.access });
 * });
 * ```
 */
export interface Lively extends TestService {
  facts: LivelyFacts;
  /** Alice owns the account and is an operator. Adam, Dora and Vera are its admin, developer and viewer. Bob owns another account. */
  people: Record<PersonName, LivelyPerson & Person>;
}

export async function lively(options: Omit<TestServiceOptions, 'on'> = {}): Promise<Lively> {
  const name = inject('livelyName');
  await makeOnce(adminUrl(), name, (unfinished) => fill(name, unfinished));
  const facts = await factsOf(name);
  const database = await cloneOf(name);
  const service = await testService({ ...options, env: { ...LIVELY_ENV, ...options.env }, on: database });
  const people = {} as Lively['people'];
  for (const who of PERSON_NAMES) people[who] = await signIn(service, facts.people[who]);
  return {
    ...service,
    facts,
    people,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function fill(name: string, unfinished: string): Promise<void> {
  const database = await cloneOf(inject('templateName'), unfinished);
  // A server that outlives its run keeps the database itself.
  const isTemporary = inject('socketFolder') !== undefined;
  const known = isTemporary ? await restoreRows(database.socketUrl, name) : undefined;
  const facts = known ?? JSON.stringify(await makeLively(database));
  if (isTemporary && !known) await keepRows(database.socketUrl, name, facts);
  await note(unfinished, facts);
}

async function signIn({ app }: TestService, person: LivelyPerson): Promise<LivelyPerson & Person> {
  const client = clientOf({ ip: '127.0.0.1', headers: {} });
  return {
    ...person,
    ...(await app.db.transaction((tx) => startSession(tx, app, person.person_id, client))),
  };
}

/** The facts are the database's comment, which clones do not have. */
async function note(name: string, facts: string): Promise<void> {
  await using client = await openClient(adminUrl());
  await client.query(`comment on database ${name} is ${client.escapeLiteral(facts)}`);
}

async function factsOf(name: string): Promise<LivelyFacts> {
  await using client = await openClient(adminUrl());
  const { rows } = await client.query(
    `select shobj_description(oid, 'pg_database') as facts from pg_database where datname = $1`,
    [name],
  );
  return JSON.parse((rows[0] as { facts: string }).facts) as LivelyFacts;
}
