import { momentIn } from '@sixdigit/contract/moment.ts';
import {
  deleteKnownRecipients,
  getKnownRecipients,
  importKnownRecipients,
  KNOWN_DAYS,
  KNOWN_MAX,
  KNOWN_UNPAID_MAX,
  removeKnownRecipient,
} from '@sixdigit/contract/protection/known.ts';
import { byMemberOrKey, record } from '../audit/audit.ts';
import { hasBoughtCredits } from '../credits/credits.ts';
import { recipientOf } from '../platform/addresses/recipient.ts';
import { lockKey } from '../platform/db/advisory-locks.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import type { Tx } from '../platform/db/sql.ts';
import { fairSlots } from '../platform/fair-slots.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { requireLiveKey, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { inSlices } from '../platform/queue/slices.ts';
import { maskedRecipient } from '../platform/security/masks.ts';
import { recipientHash, recipientHashes } from './known.ts';
import {
  countKnownByDay,
  deleteKnown,
  deleteKnownOf,
  hasImported,
  hasKnown,
  insertKnown,
  type NewlyKnown,
} from './known-queries.ts';
import { findSettings } from './queries.ts';

type App = Needs<'db' | 'clock' | 'config' | 'random' | 'vault'>;

const DAY_MS = 86_400_000;
const DELETED_AT_ONCE = 20_000;
const RECIPIENTS = 'known recipients';

/** The recipients that an account knows. An account imports or deletes one part at a time, and a process two. */
export function knownRoutes(server: Server, app: App): void {
  const slots = fairSlots({ anAccount: 1, aProcess: 2, waitingAnAccount: 2, waitingAProcess: 50 });
  const daysOf = async (account_id: string): Promise<number> =>
    (await findSettings(app.db, account_id))?.known_days ?? KNOWN_DAYS.byDefault;

  serve(server, getKnownRecipients, async ({ caller: { account_id } }) => {
    const known_days = await daysOf(account_id);
    const days = await withinListLimits(app.db, account_id, (db) => countKnownByDay(db, account_id));
    return { known_days, count: days.reduce((sum, { count }) => sum + count, 0), days };
  });
  serve(server, importKnownRecipients, ({ caller, body: { recipients }, request }) => {
    requireLiveKey(caller, RECIPIENTS);
    const { account_id } = caller;
    return slots.run(account_id, async () => {
      const known_days = await daysOf(account_id);
      if (known_days === 0)
        throw new FieldErrors({ recipients: ['Known recipients are off. Set their days first.'] });
      if (await hasKnown(app.db, account_id, KNOWN_MAX))
        throw new FieldErrors({
          recipients: [`The account has ${KNOWN_MAX.toLocaleString('en-US')} known recipients, the most.`],
        });
      const { rows, errors } = await inSlices(readRows(app, recipients, known_days));
      const imported = rows.length;
      if (imported > 0)
        await app.db.transaction(async (tx) => {
          await lockKey(tx, 'knownRecipients', account_id);
          await insertKnown(tx, account_id, rows);
          await requireRoom(tx, account_id);
          const by = byMemberOrKey(caller, request);
          await record(tx, app, { ...by, action: 'known.import', after: { recipients: imported } });
        });
      return { imported, errors };
    });
  });
  serve(server, removeKnownRecipient, async ({ caller, body, request }) => {
    requireLiveKey(caller, RECIPIENTS);
    const recipient = recipientOf(app.config, body.recipient);
    if (recipient === undefined) throw new FieldErrors({ recipient: [NO_RECIPIENT] });
    const removed = await app.db.transaction(async (tx) => {
      if ((await deleteKnown(tx, caller.account_id, recipientHashes(app, recipient))) === 0) return false;
      const by = byMemberOrKey(caller, request);
      await record(tx, app, { ...by, action: 'known.remove', subject: maskedRecipient(recipient) });
      return true;
    });
    return { removed };
  });
  serve(server, deleteKnownRecipients, ({ caller, request }) => {
    requireLiveKey(caller, RECIPIENTS);
    const { account_id } = caller;
    return slots.run(account_id, async () => {
      const deleted = await app.db.transaction(async (tx) => {
        const some = await deleteKnownOf(tx, { account_id, most: DELETED_AT_ONCE });
        const by = byMemberOrKey(caller, request);
        if (some > 0) await record(tx, app, { ...by, action: 'known.delete', before: { recipients: some } });
        return some;
      });
      return { deleted, is_complete: deleted < DELETED_AT_ONCE };
    });
  });
}

/** Throws a field error if the account, which has just imported, has too many for one that has paid nothing. */
async function requireRoom(tx: Tx, account_id: string): Promise<void> {
  if (await hasBoughtCredits(tx, account_id)) return;
  if (!(await hasImported(tx, account_id, KNOWN_UNPAID_MAX + 1))) return;
  throw new FieldErrors({
    recipients: [
      `Until it has bought credits or got some from an operator, an account imports at most ${KNOWN_UNPAID_MAX.toLocaleString('en-US')} recipients.`,
    ],
  });
}

const NO_RECIPIENT = 'Enter a phone number with its country code, or an email address.';

interface Read {
  rows: NewlyKnown[];
  errors: { row: number; error: string }[];
}

/** Parsing a thousand numbers takes tens of milliseconds, so this yields after each. */
function* readRows(app: App, given: readonly unknown[], known_days: number): Generator<void, Read> {
  const nowMs = app.clock.now().getTime();
  const latest = new Map<string, number>();
  const errors: Read['errors'] = [];
  for (const [n, one] of given.entries()) {
    yield;
    const read = readRow(app, one, { nowMs, known_days });
    if ('error' in read) errors.push({ row: n + 1, error: read.error });
    else latest.set(read.recipient, Math.max(read.at_ms, latest.get(read.recipient) ?? 0));
  }
  const rows = [...latest].map(([recipient, at_ms]) => ({
    hash: recipientHash(app, recipient),
    known_on: new Date(at_ms).toISOString().slice(0, 10),
  }));
  return { rows, errors };
}

/** The longest text that is parsed. */
const LONGEST = 320;

function readRow(
  { config }: App,
  given: unknown,
  { nowMs, known_days }: { nowMs: number; known_days: number },
): { recipient: string; at_ms: number } | { error: string } {
  if (typeof given !== 'object' || given === null) return { error: 'Send {recipient, verified_at}.' };
  const { recipient: text, verified_at = null } = given as { recipient?: unknown; verified_at?: unknown };
  const recipient =
    typeof text === 'string' && text.length <= LONGEST && text.isWellFormed() && !text.includes('\uFFFD')
      ? recipientOf(config, text.trim())
      : undefined;
  if (recipient === undefined) return { error: NO_RECIPIENT };
  const at_ms = verified_at === null || verified_at === '' ? nowMs : timeIn(verified_at);
  if (at_ms === undefined)
    return { error: 'verified_at must be a time in ISO 8601 or milliseconds since 1970.' };
  if (at_ms > nowMs) return { error: 'verified_at is in the future.' };
  if (at_ms < nowMs - known_days * DAY_MS)
    return { error: `verified_at is more than ${known_days} days ago.` };
  return { recipient, at_ms };
}

function timeIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 40) return undefined;
  return /^\d{12,14}$/.test(value) ? Number(value) : momentIn(value)?.getTime();
}
