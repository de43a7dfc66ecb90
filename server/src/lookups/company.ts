import type { LookupFacts, LookupOutcome } from '@sixdigit/contract/protection/lookups.ts';
import { checkCompany, type Outcome, type Poster, requestOf } from '../messaging/carriers/carriers.ts';
import type { Finding } from '../platform/finding.ts';
import { factsIn } from './answer.ts';
import type { OpenLookup } from './setup.ts';

export interface LookedUp {
  outcome: LookupOutcome;
  /** null if the look-up gave no answer */
  facts: LookupFacts | null;
}

export interface CompanyAnswer extends LookedUp {
  /** of an HTTP response */
  status?: number;
}

const WHY: Partial<Record<LookupOutcome, string>> = {
  timeout: 'The company did not respond in time.',
  failed: 'The company could not be reached, or refused the request.',
  unreadable: 'The response has none of the facts, another type of value than expected, or more than 64 kB.',
};

/** Undefined if there are facts. */
export function whyNoFacts({ outcome, facts, status }: CompanyAnswer): string | undefined {
  if (facts) return undefined;
  const isRefusal = outcome === 'failed' && status !== undefined;
  return isRefusal ? `The company responded with HTTP ${status}.` : WHY[outcome];
}

/** Statuses that concern the account at the company, or how often it is asked. */
const OF_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** For the breaker. A response about one number is not a failure, so that strange numbers do not pause the look-up. A timeout is one. */
export function counted({ outcome, status = 500 }: CompanyAnswer): Outcome {
  if (outcome === 'timeout') return { kind: 'uncertain', reason: outcome, detail: '' };
  const isFailure = outcome === 'failed' && (status >= 500 || OF_ACCOUNT.has(status));
  return isFailure
    ? { kind: 'refused', reason: outcome, detail: '', rest: true }
    : { kind: 'accepted', provider_message_id: null };
}

/** One request to the company, without the budgets and the stored answers. */
export async function askCompany(
  { record, values, timeout_ms: timeoutMs }: Pick<OpenLookup, 'record' | 'values' | 'timeout_ms'>,
  poster: Poster,
  { recipient: to, now, signal }: { recipient: string; now: Date; signal: AbortSignal },
): Promise<CompanyAnswer> {
  const digits = to.replace(/^\+/, '');
  const hours = values.max_age === undefined ? undefined : Number(values.max_age);
  const request = requestOf(
    record,
    { ...values, max_age: hours, to, to_digits: digits, to_number: Number(digits) },
    now,
  );
  if (!request) return { outcome: 'failed', facts: null };
  const answer = await poster.post({ ...request, signal, timeoutMs });
  if (answer.kind !== 'answered')
    return { outcome: ['timeout', 'canceled'].includes(answer.why) ? 'timeout' : 'failed', facts: null };
  const { status, text } = answer;
  if (status < 200 || status > 299) return { outcome: 'failed', facts: null, status };
  if (signal.aborted && text === '') return { outcome: 'timeout', facts: null, status };
  const facts = factsIn(record, { text, hours, now });
  return facts ? { outcome: 'answered', facts, status } : { outcome: 'unreadable', facts: null, status };
}

/** Tries the credentials without a look-up, where the company has such a request, or else only whether it responds. */
export const checkLookup = (
  { record, values }: Pick<OpenLookup, 'record' | 'values'>,
  { allowPrivate, now }: { allowPrivate: boolean; now: Date },
): Promise<Finding> =>
  checkCompany({
    about: 'look-up',
    name: 'The look-up',
    record,
    values: { ...values, to: '1', to_digits: '1' },
    reach: { allowPrivate },
    now,
    test: 'Test it with a number',
    otherwise: 'Sends pass without an answer, or are refused.',
  });
