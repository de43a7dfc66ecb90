import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Reservation } from '../../platform/queue/leased-queue.ts';
import type { Accepted } from '../send/decision.ts';
import type { Claimed } from './queries.ts';

/**
 * Queue rows can be inserted already claimed by a worker in the same process, which dispatches them from memory after the
 * commit. This saves a separate claim and its commit. If the process ends before the dispatch, other workers release the rows
 * like any other claim.
 */
export interface DirectDispatch {
  /** Undefined unless a worker in this process has free slots. */
  reserve(channel: Channel, most: number): DirectClaim | undefined;
}

export type DirectClaim = Reservation<Claimed> & { carrier: string };

export interface DirectBatch {
  /** Each row's claim, by verification id. */
  claims: ReadonlyMap<string, DirectClaim>;
  /** Call it after the commit. */
  start(nowMs: number): void;
  /** Call it if the commit failed or is uncertain. */
  cancel(): void;
}

/**
 * Claims as many of a batch's sends as the worker has free slots. Test sends, and sends without their texts, go through the
 * queue.
 */
export function claimDirectly(deliveries: DirectDispatch, accepted: readonly Accepted[]): DirectBatch {
  const claims = new Map<string, DirectClaim>();
  const taken = new Map<DirectClaim, Accepted[]>();
  const eligible = accepted.filter(({ item }) => !item.is_test && item.texts);
  for (const [channel, sends] of Map.groupBy(eligible, ({ item }) => item.channel)) {
    const claim = deliveries.reserve(channel, sends.length);
    if (!claim) continue;
    const first = sends.slice(0, claim.places);
    for (const { item } of first) claims.set(item.id, claim);
    taken.set(claim, first);
  }
  return {
    claims,
    start(nowMs) {
      for (const [claim, sends] of taken) claim.start(sends.map((send) => claimedOf(send, claim, nowMs)));
    },
    cancel() {
      for (const claim of taken.keys()) claim.cancel();
    },
  };
}

function claimedOf(
  { item, code, reply }: Accepted,
  { claim, carrier }: DirectClaim,
  now_ms: number,
): Claimed {
  const {
    sender_name = '',
    reply_to_email = '',
    default_message = '',
    default_subject = '',
    default_language = 'en',
  } = item.texts ?? {};
  return {
    id: item.id,
    account_id: item.account_id,
    channel: item.channel,
    sealed: code.sealed,
    digits: code.digits,
    expires_at: reply.expires_at,
    claim,
    carrier,
    refused_by: [],
    uncertain: 0,
    tries: 1,
    recipient: item.recipient,
    country: item.row.country ?? null,
    status: 'pending',
    cost_credits: item.cost_credits,
    message: item.row.message ?? null,
    subject: item.row.subject ?? null,
    language: item.row.language ?? null,
    locale: item.row.locale ?? null,
    dlt: item.row.dlt ?? null,
    sender_name,
    reply_to_email,
    default_message,
    default_subject,
    default_language,
    seconds: item.expires_in,
    now_ms,
  };
}
