/**
 * The recipients of the latest sends, each with the minute of its last send, oldest first. Most lists are short, so a list is
 * an array of exact length, and an element holds a hash of the recipient (27 bits) and a minute (26 bits). Two recipients with
 * the same hash count as one.
 */
export type LatestRecipients = readonly number[];

const MINUTES = 2 ** 26;
const minuteOf = (entry: number): number => entry % MINUTES;
const hashOf = (entry: number): number => Math.floor(entry / MINUTES);

/** The list after a send. It keeps the latest recipients up to `most`. */
export function withRecipient(
  list: LatestRecipients | undefined,
  recipient: string,
  { minute, most }: { minute: number; most: number },
): LatestRecipients {
  const hash = hashOfRecipient(recipient);
  const entry = hash * MINUTES + minute;
  if (list === undefined) return [entry];
  if (list.at(-1) === entry) return list;
  const known = placeOf(list, hash);
  const hasToDrop = known >= 0 || list.length >= most;
  // Replaces the recipient's earlier send, or else the oldest.
  return (hasToDrop ? list.toSpliced(Math.max(known, 0), 1) : list).concat(entry);
}

/** The minute of the last send to a recipient. */
export function lastSendTo(list: LatestRecipients | undefined, recipient: string): number | undefined {
  if (list === undefined) return undefined;
  const place = placeOf(list, hashOfRecipient(recipient));
  return place < 0 ? undefined : minuteOf(list[place] as number);
}

/** The number of recipients other than one with a send since a minute. Stops counting at `least`. */
export function countOthers(
  list: LatestRecipients | undefined,
  recipient: string,
  { since, least = Number.POSITIVE_INFINITY }: { since: number; least?: number | undefined },
): number {
  if (list === undefined) return 0;
  const hash = hashOfRecipient(recipient);
  let others = 0;
  for (let at = 0; at < list.length && others < least; at++) {
    const entry = list[at] as number;
    if (minuteOf(entry) >= since && hashOf(entry) !== hash) others += 1;
  }
  return others;
}

export const minutesOf = (list: LatestRecipients | undefined): number[] => (list ?? []).map(minuteOf);

function placeOf(list: LatestRecipients, hash: number): number {
  for (let at = 0; at < list.length; at++) if (hashOf(list[at] as number) === hash) return at;
  return -1;
}

/** FNV-1a, the 32 bits folded to 27. */
function hashOfRecipient(recipient: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < recipient.length; at++) hash = Math.imul(hash ^ recipient.charCodeAt(at), 0x01000193);
  return (hash >>> 5) ^ (hash & 31);
}
