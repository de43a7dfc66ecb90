import { describe, expect, test } from 'vitest';
import { inboundKeyword } from './opt-outs.ts';

const STOPS = [
  'stop',
  'stopall',
  'stop all',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'revoke',
  'optout',
  'opt out',
];
const STARTS = ['start', 'unstop', 'yes'];
const HELPS = ['help', 'info'];

/** How phones and people write one word. */
const DRESSES: readonly ((word: string) => string)[] = [
  (word) => word.toUpperCase(),
  (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`,
  (word) => ` ${word}\r\n`,
  (word) => `${word}.`,
  (word) => `${word}!!!`,
  (word) => `"${word}"`,
  (word) => `“${word}”`,
  (word) => `‘${word}’`,
  (word) => `«${word}»`,
  (word) => `(${word})`,
  (word) => `*${word}*`,
  (word) => word.replace(' ', '-'),
  (word) => word.replace(' ', '_'),
  (word) => `\u200b${word}\ufeff`,
  (word) => `\u200e${word}\u200f`,
  (word) => [...word].join('\u200d'),
  (word) => [...word].join('\u00ad'),
  (word) => `${word.slice(0, 2)}\u2060${word.slice(2)}`,
  (word) =>
    [...word]
      .map((letter) =>
        letter === ' ' ? letter : String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
      )
      .join(''),
  (word) => `${word} 🛑`,
  (word) => `please ${word}`,
  (word) => `${word}, thanks`,
  (word) => `${word} ${word} ${word}`,
  (word) => `${word}\u00a0`,
];

describe('a keyword', () => {
  test.each([
    ...STOPS.map((word) => [word, 'stop']),
    ...STARTS.map((word) => [word, 'start']),
    ...HELPS.map((word) => [word, 'help']),
  ])('%s means %s in every dress', (word, meaning) => {
    for (const dress of DRESSES) expect(inboundKeyword(dress(word)), dress(word)).toBe(meaning);
  });

  test.each([
    'opt-out',
    'OPT  OUT',
    'Un-subscribe',
    'S.T.O.P',
    's t o p',
    'please stop',
    'STOP it',
    'stop texting me',
    'Stop sending me these messages, please',
    'unsubscribe me',
    'I want to opt out',
    'I would like to unsubscribe from this list',
    'cancel texts',
    'end messages',
    'Arrêt',
    'STOP\n\nThanks',
  ])('a request to stop counts: %s', (text) => {
    expect(inboundKeyword(text)).toBe('stop');
  });

  test.each([
    'no',
    'ok',
    'thanks',
    '123456',
    'stopp',
    'nonstop',
    'bus stop',
    "don't stop",
    'do not stop',
    'never stop',
    'cancel my order',
    'cancel it',
    'the end',
    'weekend',
    'end of the road',
    'I quit my job',
    'I want to cancel my booking',
    'yes I got it',
    'yes stop',
    'stop start',
    'who is this?',
    'please call me',
    'help me find my order',
    'start stop',
    'can you help',
    'opt',
    'out',
    'please',
    'text me',
    '🛑',
    '',
    ' ',
    '\0',
    'сtор',
    `stop ${'please '.repeat(40)}`,
  ])('an ordinary reply is none: %j', (text) => {
    expect(inboundKeyword(text)).toBeUndefined();
  });
});
