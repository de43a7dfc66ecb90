import { type Blocker, REFUSAL_TEXTS } from '@sixdigit/contract/protection/protection.ts';
import {
  type Asked,
  type AskedLookup,
  type Decision,
  type Guard,
  type Known,
  type KnownRecipient,
  passingRecipient,
  type Reasons,
} from '../../protection/protection.ts';
import type { SendProof } from './item.ts';

/** The fields of a send that the rules read. */
interface GuardedSend {
  account_id: string;
  api_key_id: string;
  /** Null for a test, which the rules ignore. */
  recipient_hash: string | null;
  destination?: Asked['to'] | null | undefined;
  /** The code, if the sender made it: no rule learns from the outcome, which only the sender knows. */
  own_code?: object | null;
  lookup?: AskedLookup | undefined;
  /** Set by the decision: how the send passes as one to a known recipient. */
  known?: Known | undefined;
  proof?: SendProof | undefined;
}

/** What the account knows of a send's recipient. */
export interface Standing {
  known: KnownRecipient | undefined;
  /** its sends to the recipient in 24 hours */
  sends_today: number;
}

export interface DestinationBlocked {
  kind: 'destination_blocked';
  blocked_by: Blocker[];
  /** ISO 8601; null if the block does not end at a known time */
  blocked_until: string | null;
  /** in place of the catalog's sentence */
  error?: string;
}

/** Distinguishes the recipients of a prefix or a client. */
const TAG_LENGTH = 12;
export const recipientTag = (recipient_hash: string): string => recipient_hash.slice(0, TAG_LENGTH);

/**
 * Applies the rules on destinations to one batch. Its sends are counted immediately and subtracted again if the batch fails.
 */
export interface BatchGuard {
  /** `lookup_due`: the send was not looked up because the rules would refuse it, but they do not. */
  refuse(
    send: GuardedSend,
    standing: Standing,
  ): DestinationBlocked | { kind: 'proof_required' } | { kind: 'lookup_due' } | undefined;
  charge(send: GuardedSend): void;
  /** Call it if the batch failed. */
  undo(): void;
  /** Call it after the commit, when the decisions are final. */
  confirm(): void;
}

/** The question whether a send may leave; undefined if no rule concerns it. */
export function askedOf(
  guard: Pick<Guard, 'policyOf'>,
  { account_id, api_key_id, destination, recipient_hash, own_code, proof, lookup }: GuardedSend,
  { known, sends_today, now_ms }: Standing & { now_ms: number },
): Asked | undefined {
  if (!destination || recipient_hash === null) return undefined;
  const { known_days } = guard.policyOf(account_id);
  return {
    account_id,
    api_key_id,
    to: destination,
    recipient: recipientTag(recipient_hash),
    has_own_code: Boolean(own_code),
    known: passingRecipient(known, { known_days, sends_today, now_ms }),
    ...(proof?.mode === 'under_pressure' ? { proof: proof.used ? 'given' : 'missing' } : {}),
    lookup,
    now_ms,
  };
}

export const isRefused = ({ blocked_by, proof }: Pick<Decision, 'blocked_by' | 'proof'>): boolean =>
  blocked_by.length > 0 || proof?.is_given === false;

/** Why the first rule blocks the send, if it is one on the number itself. */
export function sentenceOf({ blocked_by, enforced }: Decision): { error?: string } {
  const [first] = blocked_by;
  if (enforced[0]?.is_unanswered)
    return { error: 'Sending to this number is blocked, because it could not be looked up' };
  const error = first && REFUSAL_TEXTS[first];
  return error ? { error } : {};
}

export function guardBatch(guard: Guard, now_ms: number): BatchGuard {
  const decided: { asked: Asked; decision: Decision; reasons: Reasons | undefined }[] = [];
  const charged: Parameters<Guard['record']>[0][] = [];
  return {
    refuse(send, standing) {
      const asked = askedOf(guard, send, { ...standing, now_ms });
      if (!asked) return undefined;
      const decision = guard.decide(asked);
      send.known = decision.known ?? undefined;
      if (send.lookup?.outcome === 'not_asked' && !isRefused(decision)) return { kind: 'lookup_due' };
      const { blocked_by, until_ms, monitored, exempted, proof } = decision;
      if (proof || blocked_by.length + monitored.length + exempted.length > 0)
        decided.push({ asked, decision, reasons: guard.reasonsOf(asked, decision) });
      if (proof && !proof.is_given) return { kind: 'proof_required' };
      if (blocked_by.length === 0) return undefined;
      const blocked_until = until_ms === null ? null : new Date(until_ms).toISOString();
      return { kind: 'destination_blocked', blocked_by, blocked_until, ...sentenceOf(decision) };
    },
    charge({ account_id, destination, recipient_hash, own_code, known }) {
      if (!destination || recipient_hash === null) return;
      const { prefix, country, client } = destination;
      const traffic = {
        account_id,
        prefix,
        country,
        client,
        recipient: recipientTag(recipient_hash),
        has_own_code: Boolean(own_code),
        known,
      };
      guard.record(traffic, 'sent', now_ms);
      charged.push(traffic);
    },
    undo() {
      for (const traffic of charged.splice(0)) guard.record(traffic, 'sent', now_ms, -1);
    },
    confirm() {
      for (const { asked, decision, reasons } of decided) guard.note(asked, decision, reasons);
    },
  };
}
