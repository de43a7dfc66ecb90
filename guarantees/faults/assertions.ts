import {
  auditLedger,
  DURING_A_FAULT,
  onlyAllowed,
  restartsOf,
  untilDrained,
  verifyAgain,
} from '../harness/audit.ts';
import { atMost, type Check, check, countsOf, none, print } from '../harness/run.ts';
import type { Fixture } from './fixture.ts';

export interface Allowed {
  /** Allows requests without a response, because the scenario kills API processes. */
  lost?: boolean;
  /** A message's repeated dispatches that the carrier's behavior explains. */
  again?: (id: string) => number;
  /** Messages that a second carrier received. */
  elsewhere?: () => readonly { id: string; code: string }[];
}

const DURING_A_FAULT_OR_LOST = new RegExp(`${DURING_A_FAULT.source}|^(lost|verify lost)$`);
/** How long after its expiry a message may arrive if it was dispatched just before. */
const IN_FLIGHT_MS = 500;

/** Ends the load, waits until the queue is empty, and checks every guarantee that holds after any fault. */
export async function checkGuarantees(fixture: Fixture, allowed: Allowed = {}): Promise<Check[]> {
  const { recorder, carrier, db, inFlight, fleet, ports } = fixture;
  await fixture.stopLoad();
  const drainedMs = await untilDrained(db, 120_000);
  const repeated = await verifyAgain(ports, recorder, carrier.messages);
  const messages = [...carrier.messages, ...(allowed.elsewhere?.() ?? [])];
  const audit = await auditLedger(db, messages, recorder);
  const times = Map.groupBy(messages, ({ id }) => id);
  const again = [...times].filter(([, all]) => all.length > 1);
  const unexplained = again.filter(
    ([id, all]) => all.length - 1 > (inFlight.times.get(id) ?? 0) + (allowed.again?.(id) ?? 0),
  );
  const late = carrier.messages.filter(
    ({ arrived_at, expires_at }) => arrived_at.getTime() > Date.parse(expires_at) + IN_FLIGHT_MS,
  );
  print(`  responses: ${countsOf(recorder.answers)}`);
  print(`  logged warnings and errors: ${countsOf(fleet.problems)}`);
  return [
    ...audit.checks,
    check(
      'dispatched again, though not in flight at a fault',
      '0',
      `${unexplained.length} (again in all: ${again.length}; in flight at a fault: ${inFlight.times.size})`,
      unexplained.length === 0,
    ),
    none('dispatched after its expiry', late.length, carrier.messages.length),
    none('codes that verified twice', repeated.filter((answer) => answer?.status === 200).length),
    onlyAllowed(
      `responses other than 201, 429, 503 with Retry-After${allowed.lost ? ', or none by a killed process' : ''}`,
      recorder,
      allowed.lost ? DURING_A_FAULT_OR_LOST : DURING_A_FAULT,
    ),
    atMost('queue empty after it', 60_000, drainedMs),
  ];
}

/** No process crashed. */
export const noRestart = ({ fleet }: Fixture): Check => none('processes that crashed', restartsOf(fleet));

export const refusals = ({ recorder }: Fixture): number => recorder.answers.get('503') ?? 0;
