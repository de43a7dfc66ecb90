import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { hashesOf } from '../platform/db/removed-recipients.ts';
import type { Queryable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { isTestUnreachable } from './test-mode/test-mode.ts';

/**
 * Recipients that have no account with the company of a channel, as a carrier said. They are remembered for three days as a keyed
 * hash, across all accounts, so that a plan does not try the channel again. A send that names the channel is not refused: the
 * recipient may have joined since.
 */
interface Reached {
  channel: Channel;
  recipient: string;
}

/** What carriers say of such a recipient, in refusals and in reports. */
const REASONS: readonly string[] = ['invalid_recipient', 'no_whatsapp'];

/** Remembers the recipient if that is the reason of a failure. */
export async function noteUnreachable(
  sql: Queryable,
  { vault }: Needs<'vault'>,
  { channel, recipient, reason }: Reached & { reason: string | null },
): Promise<void> {
  if (reason === null || !REASONS.includes(reason) || factsOf(channel).format !== 'fixed') return;
  await sql.run(
    `insert into unreachable_recipients (channel, recipient_hash, created_at) values ($1, $2, clock_now())
     on conflict (channel, recipient_hash) do update set created_at = excluded.created_at`,
    [channel, hashesOf(vault, recipient)[0]],
  );
}

/** Whether a carrier said within three days that the channel does not reach the recipient. A test key plays it. */
export const isKnownUnreachable = async (
  { db, vault }: Needs<'db' | 'vault'>,
  { channel, recipient, is_test = false }: Reached & { is_test?: boolean },
): Promise<boolean> => {
  if (is_test) return isTestUnreachable(channel, recipient);
  if (factsOf(channel).format !== 'fixed') return false;
  const found = await db.maybe(
    `select 1 from unreachable_recipients
     where channel = $1 and recipient_hash = any ($2) and created_at > clock_now() - interval '3 days'`,
    [channel, hashesOf(vault, recipient)],
  );
  return found !== undefined;
};
