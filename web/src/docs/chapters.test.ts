import { chaptersOf } from '@sixdigit/contract/docs/chapters.ts';
import { piecesOf } from '@sixdigit/contract/docs/text.ts';
import { expect, test } from 'vitest';
import { pages } from '../pages.ts';

const chapters = chaptersOf({
  apiUrl: 'https://otp.example.com/api/v1',
  smsMaxSegments: 2,
  target: { channel: 'email', recipient: 'you@example.com' },
  sendCost: 'Sending costs credits',
});
const texts = chapters
  .flatMap(({ parts, calls = [] }) => [...parts, ...calls.flatMap((call) => call.parts)])
  .flatMap(({ text, more = [] }) => [...text, ...more].flat())
  .filter((block) => typeof block === 'string');

test('links of the documentation to the dashboard lead to its pages', () => {
  const screens: string[] = Object.values(pages).map(({ path }) => path);
  const targets = texts
    .flatMap(piecesOf)
    .flatMap((piece) => (piece.kind === 'link' && piece.target.startsWith('/') ? [piece.target] : []));
  expect(targets.length).toBeGreaterThan(5);
  for (const target of targets) expect(screens).toContain(target.replace(/[?#].*/, ''));
});

test('the marks in a text become code, strong words and links', () => {
  expect(piecesOf('Use `a|b`, **never** [this](/x#y).')).toEqual([
    { kind: 'plain', text: 'Use ' },
    { kind: 'code', text: 'a|b' },
    { kind: 'plain', text: ', ' },
    { kind: 'strong', text: 'never' },
    { kind: 'plain', text: ' ' },
    { kind: 'link', text: 'this', target: '/x#y' },
    { kind: 'plain', text: '.' },
  ]);
  for (const text of texts)
    expect(
      piecesOf(text)
        .filter(({ kind }) => kind === 'plain')
        .map(({ text: plain }) => plain)
        .join(''),
    ).not.toMatch(/`|\*\*|\]\(/);
});
