import { z } from 'zod';

/** A part of a call: a sentence that is spoken, or a pause. */
export const CallPart = z.union([z.object({ say: z.string() }), z.object({ pause_seconds: z.number() })]);
export type CallPart = z.infer<typeof CallPart>;

const DIGITS_PER_SECOND = 2;
const SYLLABLES_PER_SECOND = 5;
const LETTERS_PER_SECOND = 15;
const WORDS_PER_SECOND = 3;
const SYLLABLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const WORDS = /[\p{Script=Latin}\p{Script=Cyrillic}][\p{Script=Latin}\p{Script=Cyrillic}\p{M}]*/gu;
const VOWEL = /[aeiouyæøœıаеёиоуыэюяіїє]/iu;

/**
 * The seconds that a voice takes to speak a text, by estimate. Emoji and symbols are spoken by name, and words without a vowel letter
 * by letter.
 */
export function spokenSeconds(text: string): number {
  let seconds = 0;
  for (const [word] of text.matchAll(WORDS)) {
    const letters = word.replace(/\p{M}/gu, '').length;
    const spelled = VOWEL.test(word.normalize('NFD')) ? 1 : letters;
    seconds += Math.max(letters / LETTERS_PER_SECOND, spelled / WORDS_PER_SECOND);
  }
  for (const character of text.replace(WORDS, '')) seconds += secondsOf(character);
  return seconds;
}

function secondsOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  if (/\p{N}/u.test(character)) return 1 / DIGITS_PER_SECOND;
  if (/\p{S}/u.test(character)) return 1;
  return 1 / (SYLLABLE.test(character) ? SYLLABLES_PER_SECOND : LETTERS_PER_SECOND);
}
