import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { LookupSubject, Lookups } from '../../lookups/lookups.ts';
import type { Needs } from '../../platform/platform.ts';
import type { LookupNeed, Protection } from '../../protection/protection.ts';
import { askedOf, isRefused } from './destination-guard.ts';
import type { SendItem } from './item.ts';

export type LookupApp = Needs<'clock'> & {
  protection: Pick<Protection, 'guard'>;
  lookups: Pick<Lookups, 'find' | 'stored'>;
};

type Subject = Pick<SendItem, 'account_id' | 'channel' | 'purpose' | 'cost_credits' | 'destination'>;

/** The rules that need a look-up before the send; undefined if none does. */
export function lookupNeedOf(
  { protection, clock }: Pick<LookupApp, 'protection' | 'clock'>,
  { destination: to, account_id, channel, purpose, cost_credits }: Subject,
): LookupNeed | undefined {
  const { guard } = protection;
  if (!guard.hasLookup() || !to) return undefined;
  return guard.lookupNeed({
    ...{ account_id, to, channel, purpose, cost_credits },
    now_ms: clock.now().getTime(),
  });
}

/**
 * Looks the number up, if a rule needs it, and adds the answer to the item. Call it before the batch, because no transaction waits
 * for another service. Undefined if there is nothing to wait for. Look-ups cost money, so a send that is refused without one is
 * `not_asked`; if the batch would accept it after all, such as for a known recipient, it is `lookup_due`.
 */
export function lookUpFirst(app: LookupApp, item: SendItem): Promise<void> | undefined {
  if (item.refusal || item.limit_reached || item.proof?.problem) return undefined;
  const need = lookupNeedOf(app, item);
  if (!need) return undefined;
  if (!isRefusedAnyway(app, item)) return lookUp(app, item, { need });
  item.lookup = { need, outcome: 'not_asked', facts: null };
  return undefined;
}

/** Looks up a send that was `lookup_due`. */
export async function lookUpNow(app: LookupApp, item: SendItem): Promise<void> {
  const need = lookupNeedOf(app, item);
  item.lookup = undefined;
  if (need) await lookUp(app, item, { need, isDue: true });
}

/** Whether the rules on destinations refuse the send whatever a look-up finds, unless the account knows the recipient. */
function isRefusedAnyway({ protection: { guard }, clock }: LookupApp, item: SendItem): boolean {
  const stranger = { known: undefined, sends_today: 0, now_ms: clock.now().getTime() };
  const asked = askedOf(guard, item, stranger);
  return asked !== undefined && isRefused(guard.decide(asked));
}

async function lookUp(
  { lookups }: LookupApp,
  item: SendItem,
  { need, isDue = false }: { need: LookupNeed; isDue?: boolean },
): Promise<void> {
  const subject = lookupSubjectOf(item, need);
  if (!subject) return;
  const { recipient, cost_credits, idempotency, proof } = item;
  const found = await lookups.find({
    ...subject,
    recipient,
    cost_credits,
    endpoint: ENDPOINT,
    idempotency_key: idempotency?.key,
    proof_id: proof?.used && `\\x${proof.used.id}`,
  });
  if (found === undefined) return;
  if (found === 'repeated') {
    // The key can lapse before the batch reads it, and the send is then looked up after all.
    if (!isDue) item.lookup = { need, outcome: 'not_asked', facts: null };
    return;
  }
  if (found === 'unpaid') {
    item.is_unpaid = true;
    return;
  }
  item.lookup = { need, ...found };
  if (!found.facts) return;
  const { line_type, carrier } = found.facts;
  item.row = { ...item.row, lookup: { line_type, carrier } };
}

const ENDPOINT = API_BASE + sendOtp.path;

/** Undefined for a test. */
export function lookupSubjectOf(
  {
    account_id,
    recipient_hash,
    known_hashes = [],
  }: Pick<SendItem, 'account_id' | 'recipient_hash' | 'known_hashes'>,
  need: LookupNeed,
): LookupSubject | undefined {
  if (recipient_hash === null) return undefined;
  const earlier = known_hashes.filter((hash) => hash !== recipient_hash);
  return {
    account_id,
    hashes: [`\\x${recipient_hash}`, ...earlier.map((hash) => `\\x${hash}`)],
    needs_sim: [need.account, need.deployment].some((scope) => scope?.rules.includes('sim_swap')),
  };
}
