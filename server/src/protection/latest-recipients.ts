/**
 * The recipients of the latest sends, each with the minute of its last send: pairs of numbers, oldest first. Most lists are short
 * and there are many, so they are arrays: maps of strings take several times the memory. The number of a recipient is a hash of
 * 32 bits. Two recipients with the same number count as one.
 */
export type LatestRecipients = number[];

const WIDTH = 2;

/** Notes a send and returns the list, which keeps the latest recipients up to `most`. */
export function withRecipient(
  list: LatestRecipients | undefined,
  recipient: string,
  { minute, most }: { minute: number; most: number },
): LatestRecipients {
  const number = numberOf(recipient);
  // Without room for more: most lists stay this short.
  if (list === undefined) return [number, minute];
  const known = placeOf(list, number);
  if (known >= 0) list.splice(known, WIDTH);
  list.push(number, minute);
  if (list.length > most * WIDTH) list.splice(0, WIDTH);
  return list;
}

/** The minute of the last send to a recipient. */
export function lastSendTo(list: LatestRecipients | undefined, recipient: string): number | undefined {
  if (list === undefined) return undefined;
  const place = placeOf(list, numberOf(recipient));
  return place < 0 ? undefined : list[place + 1];
}

/** How many recipients other than one got a send since a minute. Stops counting at `least`. */
export function countOthers(
  list: LatestRecipients | undefined,
  recipient: string,
  { since, least = Number.POSITIVE_INFINITY }: { since: number; least?: number | undefined },
): number {
  if (list === undefined) return 0;
  const number = numberOf(recipient);
  let others = 0;
  for (let at = 0; at < list.length && others < least; at += WIDTH)
    if (list[at] !== number && (list[at + 1] as number) >= since) others += 1;
  return others;
}

export const minutesOf = (list: LatestRecipients | undefined): number[] =>
  (list ?? []).filter((_, at) => at % WIDTH === 1);

function placeOf(list: LatestRecipients, number: number): number {
  for (let at = 0; at < list.length; at += WIDTH) if (list[at] === number) return at;
  return -1;
}

/** FNV-1a, in 32 bits. */
function numberOf(recipient: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < recipient.length; at++) hash = Math.imul(hash ^ recipient.charCodeAt(at), 0x01000193);
  return hash;
}
