import { lockVerifications } from '../../otp/otp.ts';
import type { Needs } from '../../platform/platform.ts';
import { uuidFloor } from '../../platform/random.ts';
import { type Person, personOf } from './person.ts';
import {
  accountsThatKnow,
  countAccountsOf,
  deleteDeliveries,
  deleteRecipient,
  deleteSandboxMessagesTo,
  eraseAnswers,
  eraseRequestLogs,
  eraseVerifications,
  eraseWebhookMessages,
  lockRecipient,
  selectVerificationsOf,
  type Window,
} from './queries.ts';
import { OTHER_TEXTS, redactTexts, TEXTS_OF_SENDS, TEXTS_OF_WEBHOOKS } from './texts.ts';

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
  /** rows with other recipients whose texts named the person */
  texts_of_others: number;
}

type App = Needs<'db' | 'config' | 'clock'>;

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 10;
const WEBHOOK_DAYS = 31;
const BATCH = 200;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Throws if the text is neither a phone number nor an e-mail address. Small transactions do not block other requests for long. */
export async function eraseRecipient(app: App, text: string): Promise<Erased> {
  const person = personOf(app, text);
  if (!person) throw new Error(`"${text}" is neither a phone number nor an e-mail address.`);
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
    texts_of_others: 0,
  };
  for (const account_id of await accountsThatKnow(db, person))
    erased.code_and_limits += await db.transaction(async (tx) => {
      await lockRecipient(tx, account_id, person.recipient);
      return deleteRecipient(tx, account_id, person);
    });
  for (const window of windowsOf(app, app.config.retentionDays)) {
    await eraseVerificationsIn(app, person, window, erased);
    erased.request_logs += await eraseRequestLogs(db, person, window);
    for (const texts of TEXTS_OF_SENDS) erased[texts.counts] += await redactTexts(db, person, texts, window);
  }
  for (const window of windowsOf(app, WEBHOOK_DAYS)) {
    erased.webhook_messages += await eraseWebhookMessages(db, person, window);
    for (const texts of TEXTS_OF_WEBHOOKS)
      erased[texts.counts] += await redactTexts(db, person, texts, window);
  }
  erased.idempotency_answers = await eraseAnswers(db, person);
  erased.sandbox_messages = await deleteSandboxMessagesTo(db, person);
  for (const texts of OTHER_TEXTS)
    erased[texts.counts] += await redactTexts(db, person, texts, [FIRST, LAST]);
  return erased;
}

async function eraseVerificationsIn(app: App, person: Person, window: Window, erased: Erased): Promise<void> {
  const rows = await selectVerificationsOf(app.db, person, window);
  const byAccount = Map.groupBy(rows, ({ account_id }) => account_id);
  for (const [account_id, some] of byAccount)
    for (let from = 0; from < some.length; from += BATCH) {
      const ids = some.slice(from, from + BATCH).map(({ id }) => id);
      await app.db.transaction(async (tx) => {
        await lockRecipient(tx, account_id, person.recipient);
        erased.queued_messages += await deleteDeliveries(tx, ids);
        await lockVerifications(tx, ids);
        erased.verifications += await eraseVerifications(tx, person, account_id, ids);
      });
    }
}

/** Consecutive id ranges that cover all rows, each short enough for one transaction. */
function windowsOf(app: App, days: number): Window[] {
  const now = app.clock.now().getTime();
  const bounds = [FIRST];
  for (let ago = days; ago > 0; ago -= WINDOW_DAYS) bounds.push(uuidFloor(new Date(now - ago * DAY_MS)));
  return bounds.map((from, n) => [from, bounds[n + 1] ?? LAST]);
}

/** `npm start -- erase <phone number or e-mail address>`: prints the result. Returns the exit code. */
export async function eraseCommand(
  app: App,
  [text, ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const person = text === undefined || rest.length > 0 ? undefined : personOf(app, text);
  if (!person || text === undefined) {
    print('Name one recipient: npm start -- erase +14155552671, or erase someone@example.com');
    return 2;
  }
  const erased = await eraseRecipient(app, text);
  print(`Erased ${person.recipient}:`);
  for (const [what, count] of Object.entries(erased)) print(`  ${what.replaceAll('_', ' ')}: ${count}`);
  print('The ledger still contains credits spent and refunded; an opt-out remains as a hash.');
  if ((await countAccountsOf(app.db, person)) > 0)
    print(
      'An account of this service has this address: its owner deletes it under Settings, Delete account.',
    );
  return 0;
}
