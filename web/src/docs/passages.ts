import { errorId, fieldId, fieldsOf, refusalsOf } from '@sixdigit/contract/docs/reference.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Endpoint } from './docs-address.ts';

/** A part of the documentation that a search can find. */
export interface Passage {
  title: string;
  /** its heading: 'Send OTP', 'Webhooks' */
  chapter: string;
  text: string;
  /** the element on the screen, or the id of an element in a call's tab */
  place: Element | { endpoint: Endpoint; id: string };
}

/** The fields and errors of both calls. The screen shows one call at a time. */
export function passagesOfCalls(): Passage[] {
  return (
    [
      ['send', 'Send OTP', sendOtp],
      ['verify', 'Verify OTP', verifyOtp],
    ] as const
  ).flatMap(([endpoint, chapter, route]) => [
    ...(['body', 'reply'] as const).flatMap((part) =>
      fieldsOf(route, part).map((field) => ({
        title: field.name,
        chapter: `${chapter}, ${part === 'body' ? 'parameter' : 'response'}`,
        text: `${field.type} ${field.description}`,
        place: { endpoint, id: fieldId(field) },
      })),
    ),
    ...refusalsOf(route).map((refusal) => ({
      title: refusal.reason,
      chapter: `${chapter}, error`,
      text: `${refusal.status} ${refusal.error} ${refusal.note?.replaceAll('`', '') ?? ''}`,
      place: { endpoint, id: errorId(refusal) },
    })),
  ]);
}

const BLOCKS = 'h2, h3, p, li:not(:has(> div, > h3)), tbody tr, dl > div';

/** The screen's prose and tables under their headings, without the tables of calls. */
export function passagesOn(root: ParentNode): Passage[] {
  const passages: Passage[] = [];
  for (const section of root.querySelectorAll('section[id]')) {
    const chapter = textOf(section.querySelector('h2'));
    let title = chapter;
    for (const block of section.querySelectorAll(BLOCKS)) {
      if (block.matches('tr[id]')) continue;
      if (block.matches('h2, h3')) title = textOf(block);
      const row = block.matches('tr, dl > div') ? textOf(block.firstElementChild) : undefined;
      const text = row === undefined ? textOf(block) : textOf(block).slice(row.length).trim();
      passages.push({ title: row ?? title, chapter, text: text === title ? '' : text, place: block });
    }
  }
  return passages.filter(({ title }) => title !== '');
}

/** The element's text, with a space between cells. */
const textOf = (element: Element | null): string =>
  [...(element?.matches('tr') ? element.children : element ? [element] : [])]
    .map((part) => part.textContent ?? '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

const MOST = 20;

/** The passages that contain every word of the text. A match in the title ranks above one in the text. */
export function find(passages: readonly Passage[], text: string): Passage[] {
  const typed = text.toLowerCase().trim();
  const words = typed.split(/\s+/).filter(Boolean);
  const rank = ({ title, chapter }: Passage): number => {
    const name = title.toLowerCase();
    if (name === typed) return 0;
    if (name.startsWith(typed)) return 1;
    if (words.every((word) => name.includes(word))) return 2;
    return words.every((word) => `${name} ${chapter.toLowerCase()}`.includes(word)) ? 3 : 4;
  };
  return passages
    .filter((passage) => {
      const all = `${passage.title} ${passage.chapter} ${passage.text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .map((passage) => ({ passage, rank: rank(passage) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ passage }) => passage);
}

const BEFORE = 30;

/** The text, starting shortly before the first typed word. */
export function excerptOf({ text }: Passage, typed: string): string {
  const first = typed.toLowerCase().trim().split(/\s+/)[0] ?? '';
  const at = text.toLowerCase().indexOf(first);
  if (at <= BEFORE) return text;
  const from = text.lastIndexOf(' ', at - BEFORE) + 1;
  return from === 0 ? text : `… ${text.slice(from)}`;
}
