/** The languages of our texts of codes, as BCP 47 tags. English is the default. */
export const LANGUAGES = [
  'en',
  'af',
  'ar',
  'ca',
  'cs',
  'da',
  'de',
  'el',
  'es',
  'et',
  'fi',
  'fr',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'kn',
  'ko',
  'lt',
  'ms',
  'mr',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sv',
  'te',
  'th',
  'tl',
  'tr',
  'uk',
  'vi',
  'zh',
  'zh-Hant',
] as const;
export type Language = (typeof LANGUAGES)[number];

/** The languages without a text for calls. */
const UNSPOKEN = [
  'af',
  'ca',
  'el',
  'et',
  'he',
  'hr',
  'hu',
  'kn',
  'lt',
  'ms',
  'mr',
  'ro',
  'te',
  'th',
  'tl',
] as const satisfies Language[];
/** A language that calls speak. */
export type CallLanguage = Exclude<Language, (typeof UNSPOKEN)[number]>;

const isIn = (tags: readonly string[], tag: string): boolean => tags.includes(tag);

/** The language of a call: the wanted one, or else the other one, or else English. */
export const callLanguageOf = (wanted: Language, otherwise: Language): CallLanguage =>
  [wanted, otherwise].find((tag): tag is CallLanguage => !isIn(UNSPOKEN, tag)) ?? 'en';

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
  if (base === 'pt') return rest.includes('br') ? 'pt-BR' : 'pt';
  const named = OTHER_NAMES.get(base) ?? base;
  return isIn(LANGUAGES, named) ? (named as Language) : otherwise;
}

/** The language that most people of a country (ISO 3166-1 alpha-2) read, by Unicode's likely subtags. */
export const languageOfCountry = (country: string, otherwise: Language): Language =>
  languageOf(new Intl.Locale('und', { region: country }).maximize().baseName, otherwise);

/** The script, and the regions that write it. */
const TRADITIONAL = ['hant', 'tw', 'hk', 'mo'];
/** Norwegian Bokmål is the usual written form, which readers of Nynorsk understand. The others are older or newer tags. */
const OTHER_NAMES = new Map<string, Language>([
  ['no', 'nb'],
  ['nn', 'nb'],
  ['fil', 'tl'],
  ['iw', 'he'],
  ['in', 'id'],
]);
