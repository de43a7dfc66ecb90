import { Resolver } from 'node:dns/promises';
import { Failure } from '../http/failure.ts';

/** Looks up TXT records. Look-ups are bounded in number and time, and never happen inside a transaction. */
export interface TxtLookup {
  /** null: the name has the value. Throws `too_many_requests` if too many look-ups are in flight. */
  problemOf(name: string, value: string): Promise<TxtProblem | null>;
}

export type TxtProblem = 'record_missing' | 'record_differs' | 'dns_unavailable';

/** The value of the TXT record that proves a domain. */
export const recordOf = (token: string): string => `domain-verification=${token}`;

const TIMEOUT_MS = 3_000;
const TRIES = 2;
const AT_ONCE = 10;
/** The name has no TXT record, or the domain does not exist. Anything else may be temporary. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND']);

/** `servers`: addresses with optional ports; empty: those of the system. */
export function createTxtLookup(servers: readonly string[]): TxtLookup {
  let inFlight = 0;
  return {
    async problemOf(name, value) {
      if (inFlight >= AT_ONCE) throw new Failure('too_many_requests', { retry_after: 5 });
      inFlight += 1;
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      // A server that responds slowly piece by piece must not occupy a look-up for long.
      const timer = setTimeout(() => resolver.cancel(), TIMEOUT_MS * (TRIES + 1));
      try {
        const records = await resolver.resolveTxt(name);
        const found = records.map((parts) => parts.join('').trim());
        return found.includes(value) ? null : 'record_differs';
      } catch (error) {
        return ABSENT.has((error as { code?: string }).code ?? '') ? 'record_missing' : 'dns_unavailable';
      } finally {
        clearTimeout(timer);
        inFlight -= 1;
      }
    },
  };
}
