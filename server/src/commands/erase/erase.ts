import { accountTexts, countAccountsWith } from '../../accounts/accounts.ts';
import { eraseRecipientFromResponses } from '../../idempotency/idempotency.ts';
import { eraseRecipientFromSends, forgetRecipient, queueTexts, sendTexts } from '../../otp/otp.ts';
import { ERASED, type IdRange } from '../../platform/erasure.ts';
import type { Needs } from '../../platform/platform.ts';
import { uuidFloor } from '../../platform/random.ts';
import { eraseRecipientFromLists } from '../../protection/protection.ts';
import { eraseRecipientFromLogs, requestLogTexts } from '../../request-logs/request-logs.ts';
import { deleteMessagesTo, sandboxTexts } from '../../sandbox/sandbox.ts';
import { eraseRecipientFromMessages, webhookTexts } from '../../webhooks/webhooks.ts';
import { formsOf } from './forms.ts';
import { spellingsOf } from './spellings.ts';
import { redactTexts } from './texts.ts';

/**
 * Erases a recipient from all accounts, for a privacy request to the operator. The facts that messages were sent, their cost and
 * the opt-out (as a keyed hash) remain. Messages that wait for dispatch are canceled.
 */
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
  /** entries of allow and deny lists, or their notes */
  list_entries: number;
  /** rows with other recipients whose texts named the erased one */
  texts_of_others: number;
}

type App = Needs<'db' | 'config' | 'clock'>;

const DAY_MS = 86_400_000;
const RANGE_DAYS = 10;
const WEBHOOK_DAYS = 31;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Throws if the text is neither a phone number nor an e-mail address. Small transactions do not block other requests for long. */
export async function eraseRecipient(app: App, text: string): Promise<Erased> {
  const forms = formsOf(app, text);
  if (!forms) throw new Error(`"${text}" is neither a phone number nor an e-mail address.`);
  const { db } = app;
  const erased: Erased = {
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
    texts_of_others: 0,
  };
  erased.code_and_limits = await forgetRecipient(db, forms);
  for (const range of rangesOf(app, app.config.retentionDays)) {
    const sends = await eraseRecipientFromSends(db, forms, range);
    erased.verifications += sends.verifications;
    erased.queued_messages += sends.queued_messages;
    erased.request_logs += await eraseRecipientFromLogs(db, forms, range);
    for (const texts of [...sendTexts, ...requestLogTexts])
      erased[texts.counts] += await redactTexts(db, forms, texts, range);
  }
  for (const range of rangesOf(app, WEBHOOK_DAYS)) {
    erased.webhook_messages += await eraseRecipientFromMessages(db, forms, range);
    for (const texts of webhookTexts) erased[texts.counts] += await redactTexts(db, forms, texts, range);
  }
  erased.idempotency_answers = await eraseRecipientFromResponses(db, forms);
  erased.sandbox_messages = await deleteMessagesTo(db, forms.recipient);
  const { redact } = spellingsOf(forms);
  erased.list_entries = await eraseRecipientFromLists(db, {
    recipient: forms.recipient,
    redact: (text) => redact(text, ERASED),
  });
  for (const texts of [...queueTexts, ...sandboxTexts, ...accountTexts])
    erased[texts.counts] += await redactTexts(db, forms, texts, [FIRST, LAST]);
  return erased;
}

/** Consecutive id ranges that cover all rows, each short enough for one transaction. */
function rangesOf(app: App, days: number): IdRange[] {
  const now = app.clock.now().getTime();
  const bounds = [FIRST];
  for (let ago = days; ago > 0; ago -= RANGE_DAYS) bounds.push(uuidFloor(new Date(now - ago * DAY_MS)));
  return bounds.map((from, n) => [from, bounds[n + 1] ?? LAST]);
}

/** `npm start -- erase <phone number or e-mail address>`: prints the result. Returns the exit code. */
export async function eraseCommand(
  app: App,
  [text, ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const forms = text === undefined || rest.length > 0 ? undefined : formsOf(app, text);
  if (!forms || text === undefined) {
    print('Name one recipient: npm start -- erase +14155552671, or erase someone@example.com');
    return 2;
  }
  const erased = await eraseRecipient(app, text);
  print(`Erased ${forms.recipient}:`);
  for (const [what, count] of Object.entries(erased)) print(`  ${what.replaceAll('_', ' ')}: ${count}`);
  print('The ledger still contains credits spent and refunded; an opt-out remains as a hash.');
  if ((await countAccountsWith(app.db, forms.recipient)) > 0)
    print(
      'An account of this service has this address: its owner deletes it under Settings, Delete account.',
    );
  return 0;
}
