import { auditLedger } from '../harness/ledger-audit.ts';
import { ask } from '../harness/recorder.ts';
import type { Fixture } from './fixture.ts';
import { atMost, type Check, none, until } from './scenario.ts';

export interface Allowed {
  /** Allows requests without a response, because the scenario kills API processes. */
  lost?: boolean;
  /** Repeated dispatches of a message that the carrier's behaviour explains. */
  again?: (id: string) => number;
  /** Messages that a second carrier received. */
  elsewhere?: () => readonly { id: string; code: string }[];
}

const ALLOWED = /^(201|429|503|verify (200|429 .*|503 .*|400 otp_already_verified|unacknowledged))$/;
const LOST = /^(lost|verify lost)$/;
/** A message dispatched just before its expiry may arrive this much later. */
const ON_ITS_WAY_MS = 500;

/** Ends the load, waits until the queue is empty, and checks every guarantee that holds after any fault. */
export async function checkGuarantees(fixture: Fixture, allowed: Allowed = {}): Promise<Check[]> {
  const { recorder, carrier, db, inFlight, fleet } = fixture;
  await fixture.stopLoad();
  const drainedMs = await until(
    120_000,
    async () => (await db.one<{ n: number }>('select count(*) as n from deliveries')).n === 0,
  );
  const second = await verifyAgain(fixture);
  const messages = [...carrier.messages, ...(allowed.elsewhere?.() ?? [])];
  const audit = await auditLedger(db, messages, recorder);
  const times = new Map<string, number>();
  for (const { id } of messages) times.set(id, (times.get(id) ?? 0) + 1);
  const again = [...times].filter(([, count]) => count > 1);
  const unexplained = again.filter(
    ([id, count]) => count - 1 > (inFlight.times.get(id) ?? 0) + (allowed.again?.(id) ?? 0),
  );
  const late = carrier.messages.filter(
    ({ arrived_at, expires_at }) => arrived_at.getTime() > Date.parse(expires_at) + ON_ITS_WAY_MS,
  );
  const strange = [...recorder.answers].filter(
    ([what]) => !ALLOWED.test(what) && !(allowed.lost && LOST.test(what)),
  );
  const problems = [...fleet.problems].map(([what, count]) => `${count} × ${what}`).join(' · ');
  console.log(
    `  responses: ${[...recorder.answers].map(([what, count]) => `${count} × ${what}`).join(', ')}`,
  );
  console.log(`  log: ${problems || 'no warning, no error'}`);
  return [
    none('acknowledged sends that are missing', audit.missing.length, recorder.acknowledged.size),
    none('acknowledged successes that are missing', audit.unverified.length, recorder.verified.size),
    none('sends without exactly one debit', audit.withoutOneDebit),
    none('neither dispatched nor refunded', audit.neverDispatched),
    {
      what: 'dispatched again, though not in flight at a fault',
      promised: '0',
      seen: `${unexplained.length} (again in all: ${again.length}; in flight at a fault: ${inFlight.times.size})`,
      holds: unexplained.length === 0,
    },
    none('dispatched with two codes', audit.dispatchedWithTwoCodes),
    none('dispatched after its expiry', late.length, carrier.messages.length),
    none('codes that verified twice', second),
    none('accounts whose ledger does not balance', audit.unbalanced),
    {
      what: `responses other than 201, 429, 503 with Retry-After${allowed.lost ? ', or none by a killed process' : ''}`,
      promised: 'none',
      seen: strange.map(([what, count]) => `${count} × ${what}`).join(', ') || 'none',
      holds: strange.length === 0,
    },
    atMost('queue empty after it', 60_000, drainedMs),
  ];
}

/** Verifies each used code again at every API in parallel. Returns the number of successes, which must be 0. */
async function verifyAgain({ ports, recorder, carrier }: Fixture): Promise<number> {
  const codes = new Map(carrier.messages.map(({ id, code }) => [id, code]));
  let successes = 0;
  for (const otp_id of [...recorder.verified].slice(-200)) {
    const key = recorder.acknowledged.get(otp_id)?.key ?? '';
    const body = { otp_id, code: codes.get(otp_id) };
    const asked = ports.map((port) => ask(port, '/api/v1/otp/verify/', key, body).catch(() => undefined));
    for (const answer of await Promise.all(asked)) if (answer?.status === 200) successes++;
  }
  return successes;
}

/** Checks that no process crashed. */
export const noRestart = ({ fleet }: Fixture, wanted = 0): Check =>
  none(
    'processes that crashed',
    [...fleet.apis, ...fleet.workers].reduce((sum, { starts }) => sum + starts - 1, 0) - wanted,
  );

export const refusals = ({ recorder }: Fixture): number => recorder.answers.get('503') ?? 0;
