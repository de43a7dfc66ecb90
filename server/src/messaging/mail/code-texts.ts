import type { CallLanguage, Language } from '@sixdigit/contract/languages.ts';
import type { CallPart } from '@sixdigit/contract/text/call-script.ts';
import type { LanguageTexts } from './languages/language-texts.ts';
import { TEXTS } from './languages/languages.ts';
import { headerText } from './layout.ts';

/**
 * The text of an SMS or an e-mail, with `{code}`. With a name of 32 characters and a code of 10, an SMS fits one segment, or two
 * with everything that can be added.
 */
export function codeText(
  language: Language,
  { name, isWarned = false }: { name?: string; isWarned?: boolean } = {},
): string {
  const { named, plain, warning } = TEXTS[language].message;
  const sentence = name === undefined ? plain : filled(named, { brand: name });
  return isWarned ? sentence + warning : sentence;
}

/** The subject of an e-mail with a code. */
export const codeSubject = (language: Language): string => TEXTS[language].mail.subject;

/** The text of a call: the sentence with the code once, then the digits twice more, one at a time. */
export function callScript(language: CallLanguage, brand: string, code: string): CallPart[] {
  const { greeting, sentence, again, goodbye } = TEXTS[language].call;
  const values = { brand: headerText(brand), code: [...code].join(', ') };
  const pause = { pause_seconds: 1 };
  const repeated = [pause, { say: filled(again, values) }];
  return [
    pause,
    { say: `${greeting} ${filled(sentence, values)}` },
    ...repeated,
    ...repeated,
    pause,
    { say: goodbye },
  ];
}

/** The sentences of an e-mail around the message. */
export function mailSentences(
  language: Language,
  { seconds, brand, sender }: { seconds: number; brand: string; sender: string },
) {
  const { mail }: LanguageTexts = TEXTS[language];
  return {
    expiry: filled(mail.expiry, { duration: duration(seconds, language) }),
    warning: mail.warning,
    unwanted: mail.unwanted,
    origin: filled(mail.origin, { brand, sender }),
    questions: mail.questions,
    misuse: mail.misuse,
  };
}

/** The direction of a language, by its BCP 47 tag. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  try {
    return (new Intl.Locale(language) as WithTextInfo).getTextInfo().direction;
  } catch {
    return 'ltr';
  }
}
/** The compiler's types lack it. */
type WithTextInfo = Intl.Locale & { getTextInfo(): { direction: 'ltr' | 'rtl' } };

/** The text with its words in braces replaced, in one pass, so that no value is read as a text. */
const filled = (text: string, values: Partial<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (word, name: string) => values[name] ?? word);

/** Between a sentence and the next one. Chinese and Japanese put no space there. */
export const gapAfter = (sentence: string): string => (sentence.endsWith('。') ? '' : ' ');
export const sentences = (one: string, other: string): string => one + gapAfter(one) + other;

/** "5 minutes", "1 hour", "1 minute and 30 seconds". With the digits of the code, whatever the language's own are. */
export function duration(totalSeconds: number, language: Language = 'en'): string {
  const units = [
    ['hour', Math.floor(totalSeconds / 3600)],
    ['minute', Math.floor((totalSeconds % 3600) / 60)],
    ['second', totalSeconds % 60],
  ] as const;
  const { list, unitOf } = formatsOf(language);
  return list.format(
    units.filter(([, count]) => count > 0).map(([unit, count]) => unitOf(unit).format(count)),
  );
}

type Unit = 'hour' | 'minute' | 'second';
interface Formats {
  list: Intl.ListFormat;
  unitOf(unit: Unit): Intl.NumberFormat;
}
const formats = new Map<Language, Formats>();

/** Creating a format takes longer than rendering a mail. */
function formatsOf(language: Language): Formats {
  const known = formats.get(language);
  if (known) return known;
  const [hour, minute, second] = (['hour', 'minute', 'second'] as const).map(
    (unit) => new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }),
  ) as [Intl.NumberFormat, Intl.NumberFormat, Intl.NumberFormat];
  const units = { hour, minute, second };
  const made = { list: new Intl.ListFormat(language), unitOf: (unit: Unit) => units[unit] };
  formats.set(language, made);
  return made;
}
