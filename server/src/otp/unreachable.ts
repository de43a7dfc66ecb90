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
  const hashes = asked.map(({ recipient }) => hashesOf(vault, recipient));
  const rows = await sql.rows<{ place: number }>(
    `select a.place::integer from unnest($1::integer[], $2::text[], $3::bytea[]) a (place, channel, recipient_hash)
     join unreachable_recipients u using (channel, recipient_hash) where u.created_at > clock_now() - interval '3 days'`,
    [
      hashes.flatMap((some, place) => some.map(() => place)),
      hashes.flatMap((some, place) => some.map(() => asked[place]?.channel)),
      hashes.flat(),
    ],
  );
  const found = new Set(rows.map(({ place }) => place));
  return asked.map((_, place) => found.has(place));
}
