import { createHash } from 'node:crypto';
import type { DumpedRow } from './table-dump.ts';

/** A secret that the hunt recognizes in any encoding. */
export interface Canary {
  /** kind of secret, such as `code` or `password` */
  kind: string;
  text: string;
}

/** A searched place: a log line, a response or a row. */
export interface Place {
  name: string;
  text: string;
}

/** Times, ids and hashes contain digits by chance. */
const CHANCE =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\{1,2}x[0-9a-f]+/gi;
const BYTES = /\\{1,2}x((?:[0-9a-f]{2})+)/gi;

/** Returns every canary found, as "kind in place". Codes must match whole words; other secrets match anywhere. */
export function hunt(canaries: readonly Canary[], places: readonly Place[]): string[] {
  const wanted = canaries.map((canary) => ({ ...canary, isFoundIn: finder(canary.text) }));
  const found = new Set<string>();
  for (const place of places) {
    const views = viewsOf(place.text);
    for (const { kind, text, isFoundIn } of wanted)
      if (isFoundIn(views)) found.add(`${kind} in ${place.name}: ${around(place.text, text)}`);
  }
  return [...found];
}

/** Enough to see where it came from. */
function around(place: string, text: string): string {
  const at = Math.max(0, place.indexOf(text));
  return `${place.slice(0, 80)} … ${place.slice(Math.max(0, at - 150), at + text.length + 80)}`;
}

interface Views {
  /** the text itself and its decoded bytes */
  all: string;
  /** the text without times, ids and hashes */
  words: string;
}

function viewsOf(text: string): Views {
  const bytes = [...text.matchAll(BYTES)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'));
  return { all: [text, ...bytes].join('\n'), words: [text.replace(CHANCE, ' '), ...bytes].join('\n') };
}

function finder(text: string): (views: Views) => boolean {
  if (!/^\d+$/.test(text)) {
    const spellings = [
      text,
      encodeURIComponent(text),
      Buffer.from(text).toString('base64').replace(/=+$/, ''),
    ];
    return ({ all }) => spellings.some((spelling) => all.includes(spelling));
  }
  // An unkeyed digest reveals the code, because there are few codes.
  const digest = createHash('sha256').update(text).digest();
  const digests = [digest.toString('hex'), digest.toString('base64'), digest.toString('latin1')];
  const spoken = [...text].join(', ');
  const word = new RegExp(`(?<![0-9A-Za-z])${text}(?![0-9A-Za-z])`);
  return ({ all, words }) =>
    word.test(words) || words.includes(spoken) || digests.some((one) => all.includes(one));
}

export const placesOfRows = (rows: readonly DumpedRow[]): Place[] =>
  rows.map(({ table, text }) => ({ name: `table ${table}`, text }));

export const placesOfLog = (lines: readonly string[]): Place[] =>
  lines.map((text) => ({ name: 'log', text }));
