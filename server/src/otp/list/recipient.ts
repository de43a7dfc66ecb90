import { CHANNELS, factsOf } from '@sixdigit/contract/channels.ts';
import type { DestinationCheck } from '@sixdigit/contract/protection/protection.ts';
import {
  EVENTS_A_PAGE,
  getRecipient,
  RECIPIENT_MESSAGE,
  type RecipientEvent,
  type RecipientHistory,
} from '@sixdigit/contract/recipients.ts';
import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';
import { programOf } from '../../api-keys/api-keys.ts';
import { hasOptedOut } from '../../messaging/opt-outs/opt-outs.ts';
import { suppressionOf } from '../../messaging/suppressions/suppressions.ts';
import { possiblePhone } from '../../platform/addresses/phone.ts';
import { recipientOf } from '../../platform/addresses/recipient.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import type { AboutRecipient } from '../../platform/db/page.ts';
import { hashesOf } from '../../platform/db/removed-recipients.ts';
import type { Db } from '../../platform/db/sql.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { failedRequestsAbout } from '../../request-logs/request-logs.ts';
import type { OtpApp } from '../call.ts';
import { checkOf } from '../send/check-destination.ts';
import { testNumber } from '../test-mode/test-mode.ts';
import { selectSendsTo } from './queries.ts';

/** Answers why a recipient got no code: its sends, its failed requests, and the outcome of a send now. */
export function recipientRoutes(server: Server, app: OtpApp): void {
  serve(server, getRecipient, async ({ caller, query: { recipient: text, before = null }, request }) => {
    const { account_id } = caller;
    const recipient = spelledRecipient(app, text);
    if (recipient === undefined) throw new FieldErrors({ recipient: [RECIPIENT_MESSAGE] });
    const { signal } = request;
    const page = await withinListLimits(
      app.db,
      account_id,
      (db) => eventsOf(db, { account_id, recipient, hashes: hashesOf(app.vault, recipient), before }),
      { signal },
    );
    const isPhone = recipient.startsWith('+');
    return {
      recipient,
      opted_out: isPhone && (await hasOptedOut(app.db, app, recipient)),
      suppression: isPhone ? null : ((await suppressionOf(app.db, app, { account_id, recipient })) ?? null),
      ...(before === null ? await outcomeNow(app, account_id, recipient) : { check: null, problem: null }),
      ...page,
    };
  });
}

/** The stored form of a recipient in any spelling. Digits that are not a number of the default region may lack their plus. */
function spelledRecipient({ config }: Needs<'config'>, text: string): string | undefined {
  const found = testNumber(text) ?? recipientOf(config, text);
  if (found) return found;
  const plain = plainPhone(text).trim();
  return plain.startsWith('+') ? undefined : possiblePhone(`+${plain}`, config);
}

async function eventsOf(
  db: Db,
  wanted: Omit<AboutRecipient, 'most'>,
): Promise<Pick<RecipientHistory, 'results' | 'next'>> {
  // One more than a page tells whether another page follows.
  const most = EVENTS_A_PAGE + 1;
  const sends = await selectSendsTo(db, { ...wanted, most });
  const refusals = await failedRequestsAbout(db, { ...wanted, most });
  const events: RecipientEvent[] = [
    ...sends.map((verification) => ({ ...placeOf(verification), verification, refusal: null })),
    ...refusals.map((refusal) => ({ ...placeOf(refusal), verification: null, refusal })),
  ].sort((a, b) => (a.id < b.id ? 1 : -1));
  const results = events.slice(0, EVENTS_A_PAGE);
  return { results, next: events.length > EVENTS_A_PAGE ? (results.at(-1)?.id ?? null) : null };
}

const placeOf = ({ id, created_at }: { id: string; created_at: string }) => ({ id, created_at });

/** The same decision as a send with the account's default message. Nothing is sent or counted. */
async function outcomeNow(
  app: OtpApp,
  account_id: string,
  recipient: string,
): Promise<{ check: DestinationCheck | null; problem: string | null }> {
  const kind = recipient.startsWith('+') ? 'phone' : 'email';
  const channels = CHANNELS.filter((one) => factsOf(one).recipient === kind);
  const channel = channels.find((one) => app.carriers.has(one)) ?? channels[0] ?? 'sms';
  try {
    const check = await checkOf(app, await programOf(app.db, account_id), { channel, recipient });
    return { check, problem: null };
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error;
    return { check: null, problem: error.message };
  }
}
