import { accountTexts } from '../accounts/accounts.ts';
import { eraseRecipientFromTwilio } from '../compat/compat.ts';
import { eraseLookups } from '../lookups/lookups.ts';
import { deleteMessagesTo, sandboxTexts } from '../messaging/sandbox/sandbox.ts';
import { eraseRecipientFromSuppressions } from '../messaging/suppressions/suppressions.ts';
import { eraseRecipientFromResponses } from '../otp/idempotency/idempotency.ts';
import { eraseRecipientFromSends, forgetRecipient, queueTexts, sendTexts } from '../otp/otp.ts';
import { ERASED, type FreeTexts, type IdRange, type RecipientForms } from '../platform/db/erasure.ts';
import type { Db } from '../platform/db/sql.ts';
import { uuidFloor } from '../platform/security/random.ts';
import { eraseKnown, eraseRecipientFromLists } from '../protection/protection.ts';
import { eraseRecipientFromLogs, requestLogTexts } from '../request-logs/request-logs.ts';
import { eraseRecipientFromMessages, webhookTexts } from '../webhooks/webhooks.ts';
import { candidatesFor } from './candidates.ts';
import { redactText, spellingsOf } from './spellings.ts';

/** Counts of erased rows. */
export interface Erased {
  verifications: number;
  history_notes: number;
  queued_messages: number;
  code_and_limits: number;
  request_logs: number;
  webhook_messages: number;
  webhook_attempts: number;
  idempotency_answers: number;
  sandbox_messages: number;
  /** entries of allow and deny lists, or their notes; suppressed addresses */
  list_entries: number;
  known_recipients: number;
  /** rows with other recipients whose texts named the erased one */
  texts_of_others: number;
}

export const NOTHING_ERASED: Erased = {
  verifications: 0,
  history_notes: 0,
  queued_messages: 0,
  code_and_limits: 0,
  request_logs: 0,
  webhook_messages: 0,
  webhook_attempts: 0,
  idempotency_answers: 0,
  sandbox_messages: 0,
  list_entries: 0,
  known_recipients: 0,
  texts_of_others: 0,
};

export function sumOf(one: Partial<Erased>, other: Partial<Erased>): Partial<Erased> {
  const sum = { ...one };
  for (const [what, count] of Object.entries(other) as [keyof Erased, number][])
    sum[what] = (sum[what] ?? 0) + count;
  return sum;
}

/** Erases one part of the data, in transactions that do not block other requests for long. A repeated step finds nothing more. */
export type Step = (db: Db, forms: RecipientForms) => Promise<Partial<Erased>>;

const DAY_MS = 86_400_000;
const RANGE_DAYS = 10;
const WEBHOOK_DAYS = 31;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The steps of an erasure that began at `at`. Their number depends only on `retentionDays`. */
export const stepsOf = (at: Date, retentionDays: number): Step[] => [
  async (db, forms) => {
    await eraseRecipientFromTwilio(db, forms);
    await eraseLookups(db, forms.known_hashes);
    return { code_and_limits: await forgetRecipient(db, forms) };
  },
  ...rangesOf(at, retentionDays).map((range) => sendsIn(range)),
  ...rangesOf(at, WEBHOOK_DAYS).map((range) => webhooksIn(range)),
  async (db, forms) => ({
    idempotency_answers: await eraseRecipientFromResponses(db, forms),
    sandbox_messages: await deleteMessagesTo(db, forms.recipient),
    list_entries:
      (await eraseRecipientFromLists(db, {
        recipient: forms.recipient,
        redact: (text) => redactText(forms, text),
      })) + (await eraseRecipientFromSuppressions(db, forms)),
    // After the sends, so that no verify adds it again.
    known_recipients: await eraseKnown(db, forms.known_hashes),
  }),
  async (db, forms) => {
    // Again, because a look-up that was under way has stored its answer.
    await eraseLookups(db, forms.known_hashes);
    return redactAll(db, forms, [...queueTexts, ...sandboxTexts, ...accountTexts], [FIRST, LAST]);
  },
];

const sendsIn =
  (range: IdRange): Step =>
  async (db, forms) => {
    const sends = await eraseRecipientFromSends(db, forms, range);
    const request_logs = await eraseRecipientFromLogs(db, forms, range);
    const texts = await redactAll(db, forms, [...sendTexts, ...requestLogTexts], range);
    return sumOf({ ...sends, request_logs }, texts);
  };

const webhooksIn =
  (range: IdRange): Step =>
  async (db, forms) => {
    const webhook_messages = await eraseRecipientFromMessages(db, forms, range);
    return sumOf({ webhook_messages }, await redactAll(db, forms, webhookTexts, range));
  };

async function redactAll(
  db: Db,
  forms: RecipientForms,
  all: readonly FreeTexts[],
  range: IdRange,
): Promise<Partial<Erased>> {
  let erased: Partial<Erased> = {};
  for (const texts of all)
    erased = sumOf(erased, { [texts.counts]: await redactTexts(db, forms, texts, range) });
  return erased;
}

/** Consecutive id ranges that cover all rows, each short enough for one transaction. The last one has no end. */
function rangesOf(at: Date, days: number): IdRange[] {
  const bounds = [FIRST];
  for (let ago = days; ago > 0; ago -= RANGE_DAYS)
    bounds.push(uuidFloor(new Date(at.getTime() - ago * DAY_MS)));
  return bounds.map((from, n) => [from, bounds[n + 1] ?? LAST]);
}

/** Redacts the recipient in the texts of a table. Returns the number of rows that named it. */
async function redactTexts(
  db: Db,
  forms: RecipientForms,
  { table, key, orderedId, columns, json, whole }: FreeTexts,
  [from, to]: IdRange,
): Promise<number> {
  const { redact } = spellingsOf(forms);
  const textOf = (column: string): string => (json ? `${json} #>> '${column}'` : column);
  const { where, params } = candidatesFor(
    forms,
    columns.map((column) => `(${textOf(column)})`),
  );
  const within = orderedId
    ? `${orderedId} >= $${params.length + 1} and ${orderedId} < $${params.length + 2} and`
    : '';
  const rows = await db.rows<Record<string, string | null>>(
    `select ${[...key, ...columns.map((column) => `${textOf(column)} as "${column}"`)].join(', ')} from ${table} where ${within} ${where}`,
    [...params, ...(orderedId ? [from, to] : [])],
  );
  let redacted = 0;
  for (const row of rows) {
    const changed = columns.filter((column) => row[column] && redact(row[column], ERASED) !== row[column]);
    if (changed.length === 0) continue;
    // Rows changed since the read have a new text and are skipped.
    const values = json ? [] : changed.map((column) => whole ?? redact(row[column] ?? '', ERASED));
    const set = json
      ? `${json} = ${json}${changed.map((column) => ` #- '${column}'`).join('')}`
      : changed.map((column, n) => `${column} = $${n + 1}`).join(', ');
    const is = [...key, ...changed.map(textOf)].map((text, n) => `${text} = $${values.length + n + 1}`);
    redacted += await db.run(`update ${table} set ${set} where ${is.join(' and ')}`, [
      ...values,
      ...key.map((column) => row[column]),
      ...changed.map((column) => row[column]),
    ]);
  }
  return redacted;
}
