import { factsOf } from '@sixdigit/contract/channels.ts';
import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import {
  checkDestination,
  checkOwnDestination,
  type DestinationBody,
  type DestinationCheck,
} from '@sixdigit/contract/protection/protection.ts';
import type { z } from 'zod';
import { type ApiCaller, programOf } from '../../api-keys/api-keys.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import { type AskedLookup, destinationOf, explained, isKnown } from '../../protection/protection.ts';
import type { OtpApp } from '../call.ts';
import { decideSend, type LockedSends, type SendOutcome, standingOf } from './decision.ts';
import { askedOf, sentenceOf } from './destination-guard.ts';
import { type SendItem, sendItem } from './item.ts';
import { lookupNeedOf, lookupSubjectOf } from './look-up.ts';
import { proofMode } from './proof.ts';
import { readSend } from './rows.ts';
import type { Program } from './wording.ts';

/** Makes the same decision as a send, without sending anything, and returns the reasons. Changes no counters. */
export function checkRoutes(server: Server, app: OtpApp): void {
  serve(server, checkDestination, ({ caller, body }) => checkOf(app, caller as ApiCaller, body));
  serve(server, checkOwnDestination, async ({ caller, body }) =>
    checkOf(app, await programOf(app.db, caller.account_id), body),
  );
}

type Body = z.output<typeof DestinationBody>;
type Refusal = Exclude<
  SendOutcome,
  { kind: 'accepted' | 'duplicate' | 'replayed' | 'repeated' | 'invalid' | 'step_taken' | 'lookup_due' }
>;

/** Without the setting of a key: checked without one. */
type Checked = Program & Pick<ApiCaller, 'require_proof'>;

export async function checkOf(app: OtpApp, program: Checked, body: Body): Promise<DestinationCheck> {
  const { channel, recipient: text, client_ip, purpose } = body;
  const made = await sendItem(app, program, {
    channel,
    recipient: text,
    ...(client_ip ? { client_ip } : {}),
    ...(purpose === undefined ? {} : { purpose }),
  });
  if (made.refusal) throw made.refusal;
  const lookup = await storedLookup(app, made);
  const item = { ...made, lookup, log_id: made.id, idempotency: null, ip_address: null, started_ms: 0 };
  const { recipient, is_test } = item;
  const to =
    is_test || factsOf(channel).recipient === 'email'
      ? undefined
      : destinationOf(recipient, client_ip ?? null);
  const { guard } = app.protection;
  const locked = await app.db.transaction((tx) => readSend(app, tx, item));
  const now_ms = app.clock.now().getTime();
  const standing = standingOf(locked, item);
  const mode = proofMode(app, program);
  const asked = askedOf(guard, { ...item, proof: { mode } }, { ...standing, now_ms });
  const found = asked && guard.explain(asked);
  const known =
    standing.known !== undefined &&
    isKnown(standing.known, guard.policyOf(item.account_id).known_days, now_ms);
  const blocked =
    found && found.blocked_by.length > 0
      ? ({
          kind: 'destination_blocked',
          blocked_by: found.blocked_by,
          blocked_until: null,
          ...sentenceOf(found),
        } as const)
      : undefined;
  // What else would refuse the send says more than the proof that it needs.
  const unproved = mode === 'always' || found?.proof ? ({ kind: 'proof_required' } as const) : undefined;
  const refusal = foresee(locked, item, blocked) ?? unproved;
  return withRefusal(
    { ...explained({ channel, recipient, to, known }, found), lookup: lookup?.facts ?? null },
    refusal,
  );
}

/** A check is free, so it shows the stored answer and looks nothing up. */
async function storedLookup(
  app: OtpApp,
  item: Awaited<ReturnType<typeof sendItem>>,
): Promise<AskedLookup | undefined> {
  const need = lookupNeedOf(app, item);
  const subject = need && lookupSubjectOf(item, need);
  if (!subject) return undefined;
  const facts = await app.lookups.stored(subject);
  return { need, outcome: facts ? 'cached' : 'not_asked', facts: facts ?? null };
}

/** The refusal that a send would get now. Nothing is written. */
function foresee(
  found: Omit<LockedSends, 'guard'>,
  item: SendItem,
  blocked: Extract<SendOutcome, { kind: 'destination_blocked' }> | undefined,
): Refusal | undefined {
  const guard = { refuse: () => blocked, charge: () => undefined };
  const { outcome } = decideSend({ ...found, guard }, item, ({ code_length: length }) => ({
    hmac: Buffer.alloc(0),
    sealed: Buffer.alloc(0),
    length,
  }));
  const { kind } = outcome;
  return kind === 'accepted' || kind === 'replayed' || kind === 'repeated' || !(kind in failures)
    ? undefined
    : (outcome as Refusal);
}

function withRefusal(check: DestinationCheck, refusal: Refusal | undefined): DestinationCheck {
  if (!refusal) return check;
  const reason: FailureReason = refusal.kind;
  const isBlocked = refusal.kind === 'destination_blocked';
  return {
    ...check,
    ...(refusal.kind === 'destination_blocked' && check.blocked_by.length === 0
      ? { blocked_by: [...refusal.blocked_by], listed: 'deny' as const }
      : {}),
    decision: isBlocked ? 'blocked' : 'refused',
    refusal: {
      reason,
      error: ('error' in refusal ? refusal.error : undefined) ?? failures[reason].error,
      retry_after: 'retry_after' in refusal ? refusal.retry_after : null,
      resets_at: 'resets_at' in refusal ? refusal.resets_at : null,
    },
  };
}
