import type { Text } from './chapter.ts';

/** A piece of a text. */
export type Piece =
  | { kind: 'plain'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; text: string }
  | { kind: 'link'; text: string; target: string };

const HEADING = '### ';

/** The heading that a text is, or undefined. */
export const headingOf = (text: Text): string | undefined =>
  text.startsWith(HEADING) ? text.slice(HEADING.length) : undefined;

/** Splits a text at its `code`, **strong** words and [links](target). */
export function piecesOf(text: Text): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    const [whole, code, strong, link = '', target = ''] = match;
    if (match.index > end) pieces.push({ kind: 'plain', text: text.slice(end, match.index) });
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (strong !== undefined) pieces.push({ kind: 'strong', text: strong });
    else pieces.push({ kind: 'link', text: link, target });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ kind: 'plain', text: text.slice(end) });
  return pieces;
}
