/** The encoding of an SMS (3GPP TS 23.038 and 23.040). */

import splitSms from 'split-sms';

export interface SmsSize {
  segments: number;
  /** GSM-7: 160 characters in one segment, 153 in each of several. UCS-2: 70 and 67 */
  encoding: 'GSM-7' | 'UCS-2';
  /** user-perceived characters: an emoji is one */
  characters: number;
  /** the distinct characters outside GSM-7, in order of appearance */
  ucs2Characters: string[];
}

/** The number of segments of a text. The text is sent unchanged: no character is replaced to save space. */
export const smsSegments = (text: string): number => splitSms.split(text, { summary: true }).parts.length;

export function smsSize(text: string): SmsSize {
  const { characterSet, parts } = splitSms.split(text, { summary: true });
  const characters = [...graphemes.segment(text)].map(({ segment }) => segment);
  return {
    segments: parts.length,
    encoding: characterSet === 'GSM' ? 'GSM-7' : 'UCS-2',
    characters: characters.length,
    ucs2Characters:
      characterSet === 'GSM' ? [] : [...new Set(characters)].filter((character) => !isGsm(character)),
  };
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const isGsm = (character: string): boolean =>
  splitSms.split(character, { summary: true }).characterSet === 'GSM';

/** The text of an SMS: the template with every `{code}` filled in. */
export const renderSms = (template: string, code: string): string =>
  template.replaceAll('{code}', () => code);

/** A placeholder code of that many digits. All codes of one length take the same space. */
export const anyCode = (length: number): string => '0'.repeat(length);

/** Why a text is too long to send, as a sentence for people; undefined if it is not. `what` is the subject of the sentence. */
export function smsTooLong(text: string, most: number, what = 'This message'): string | undefined {
  if (smsSegments(text) <= most) return undefined;
  const { segments, encoding, ucs2Characters } = smsSize(text);
  const limit = `${what} takes ${segments} SMS segments with its code; at most ${most} ${most === 1 ? 'is' : 'are'} allowed.`;
  if (encoding === 'GSM-7') return limit;
  const few = ucs2Characters.slice(0, NAMED_CHARACTERS).map(visible);
  const more = ucs2Characters.length > few.length ? ' and others' : '';
  return `${limit} A segment holds fewer characters because of ${few.join(', ')}${more}.`;
}

const NAMED_CHARACTERS = 5;

/** The character, or its code points if it is invisible or too long to show. */
const visible = (character: string): string =>
  character.length <= 12 && /^[\p{L}\p{N}\p{S}\p{P}]/u.test(character)
    ? `“${character}”`
    : [...character]
        .slice(0, 3)
        .map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
        .join(' ');
