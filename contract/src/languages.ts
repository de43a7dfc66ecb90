/** The languages of our texts of codes, as BCP 47 tags. English is the default. */
export const LANGUAGES = [
  'en',
  'ar',
  'cs',
  'da',
  'de',
  'es',
  'fi',
  'fr',
  'hi',
  'id',
  'it',
  'ja',
  'ko',
  'nb',
  'nl',
  'pl',
  'pt',
  'ru',
  'sv',
  'tr',
  'uk',
  'vi',
  'zh',
  'zh-Hant',
] as const;
export type Language = (typeof LANGUAGES)[number];

const isLanguage = (tag: string): tag is Language => (LANGUAGES as readonly string[]).includes(tag);

/**
 * The language of a person with this tag, such as `de-AT`, `zh_TW` or `pt_BR.UTF-8`, or of a list that begins with theirs:
 * `otherwise` if there are no texts in it.
 */
export function languageOf(tag: string, otherwise: Language = 'en'): Language {
  const [first = ''] = tag
    .trim()
    .toLowerCase()
    .split(/[,;.@\s]/);
  const [base = '', ...rest] = first.split(/[-_]/);
  if (base === 'zh') return rest.some((part) => TRADITIONAL.includes(part)) ? 'zh-Hant' : 'zh';
  // Norwegian Bokmål is the usual written form, which readers of Nynorsk understand.
  if (base === 'no' || base === 'nn') return 'nb';
  return isLanguage(base) ? base : otherwise;
}

/** The script, and the regions that write it. */
const TRADITIONAL = ['hant', 'tw', 'hk', 'mo'];
