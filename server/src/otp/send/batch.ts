import { CONFIRM } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Protection } from '../../protection/protection.ts';
import { type Code, mintCode } from '../code.ts';
import { claimDirectly, type DirectDispatch } from '../dispatch/direct.ts';
import type { BatchConnection, Batches } from '../group-commit.ts';
import { type Accepted, decideSend, type SendOutcome } from './decision.ts';
import { guardBatch } from './destination-guard.ts';
import type { SendItem } from './item.ts';
import { type LookupApp, lookUpFirst, lookUpNow } from './look-up.ts';
import { lockSends, writeSends } from './rows.ts';

type App = Needs<'db' | 'clock' | 'random' | 'vault' | 'wakeups' | 'config'> & {
  protection: Pick<Protection, 'guard'>;
  deliveries: DirectDispatch;
};

export type DecidedSend = Exclude<SendOutcome, { kind: 'lookup_due' }>;

/** Looks its number up if a rule needs it, and adds the send to the next batch. Resolves after its commit. */
export function sendInBatch(
  app: App & LookupApp & { batches: Batches },
  item: SendItem,
): Promise<DecidedSend> {
  const lookingUp = lookUpFirst(app, item);
  return lookingUp || item.lookup
    ? join(app, item, lookingUp)
    : (app.batches.join(runSendBatch, app, item) as Promise<DecidedSend>);
}

async function join(
  app: App & LookupApp & { batches: Batches },
  item: SendItem,
  lookingUp: Promise<void> | undefined,
): Promise<DecidedSend> {
  await lookingUp;
  const outcome = await app.batches.join(runSendBatch, app, item);
  if (outcome.kind !== 'lookup_due') return outcome;
  await lookUpNow(app, item);
  return app.batches.join(runSendBatch, app, item) as Promise<DecidedSend>;
}

/** Locks the rows that the sends share, decides the sends in order of arrival and commits the accepted ones. */
export async function runSendBatch(
  app: App,
  connection: BatchConnection,
  items: readonly SendItem[],
  retry: boolean,
): Promise<SendOutcome[]> {
  // Most sends need a fresh code, so codes are drawn while the database locks and reads.
  const [found, codes] = await Promise.all([lockSends(app, connection, items, retry), drawCodes(app, items)]);
  const guard = guardBatch(app.protection.guard, found.nowMs);
  const locked = { ...found, guard };
  const accepted: Accepted[] = [];
  const duplicates: Pick<Accepted, 'item' | 'reply'>[] = [];
  const outcomes = items.map((item) => {
    const decision = decideSend(locked, item, (fresh) => codes.get(fresh) as Code);
    // The first attempt was committed although its response was lost. Its count was undone as if it had failed, so the send is
    // counted again.
    if (decision.outcome.kind === 'accepted' && !decision.accepted) guard.charge(item);
    if (decision.accepted) {
      accepted.push(decision.accepted);
      item.decided = decision.accepted.reply;
    }
    if (decision.outcome.kind === 'duplicate' && item.idempotency)
      duplicates.push({ item, reply: decision.outcome.reply });
    return decision.outcome;
  });
  const direct = claimDirectly(app.deliveries, accepted);
  try {
    // A response decided by an earlier commit waits until that commit is confirmed.
    if (accepted.length + duplicates.length > 0)
      await writeSends(app, connection, { locked, accepted, duplicates, claims: direct.claims });
    else await connection.script(outcomes.some(isOfEarlierCommit) ? CONFIRM : 'ROLLBACK');
  } catch (error) {
    guard.undo();
    direct.cancel();
    throw error;
  }
  guard.confirm();
  // Starts the direct dispatches after the responses.
  setImmediate(() => direct.start(locked.nowMs));
  if (accepted.length > direct.claims.size) app.wakeups.notify('deliveries');
  return outcomes;
}

const drawCodes = async (app: App, items: readonly SendItem[]): Promise<Map<SendItem, Code>> =>
  new Map(
    items.filter(({ own_code }) => !own_code).map((item) => [item, mintCode(app, item, item.code_length)]),
  );

const isOfEarlierCommit = ({ kind }: SendOutcome): boolean =>
  kind === 'accepted' || kind === 'replayed' || kind === 'duplicate';
