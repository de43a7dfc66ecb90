import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { hashesOf } from '../platform/db/removed-recipients.ts';
import type { Queryable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';

/**
 * Recipients that have no account with the company of a channel, as a carrier said. They are remembered for three days as a keyed
 * hash, across all accounts, so that a plan does not try the channel again. A send that names the channel is not refused: the
 * recipient may have joined since.
 */
export interface Reached {
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

/** Which of these recipients their channels do not reach, as a carrier said within three days. */
export async function findUnreachable(
  sql: Queryable,
  { vault }: Needs<'vault'>,
  asked: readonly Reached[],
): Promise<boolean[]> {
  const each = asked.flatMap(({ channel, recipient }, place) =>
    hashesOf(vault, recipient).map((hash) => ({ channel, hash, place })),
  );
  const { places } = await sql.one<{ places: number[] }>('select find_unreachable($1, $2) as places', [
    each.map(({ channel }) => channel),
    each.map(({ hash }) => hash),
  ]);
  const found = new Set(places.map((place) => each[place - 1]?.place));
  return asked.map((_, place) => found.has(place));
}
