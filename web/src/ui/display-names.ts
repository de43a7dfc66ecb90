import { LANGUAGES } from '@sixdigit/contract/languages.ts';

const names = new Intl.DisplayNames('en-US', { type: 'region' });

/** 'United States' */
export const countryName = (code: string): string => names.of(code) ?? code;

const conjunction = new Intl.ListFormat('en-US');

/** 'Canada and United States' */
export const countryNames = (codes: readonly string[]): string => conjunction.format(codes.map(countryName));

const languages = new Intl.DisplayNames('en-US', { type: 'language' });

/** The name of a language in English. */
export const languageName = (tag: string): string => languages.of(tag) ?? tag;

/** The languages of our texts, by their names. */
export const LANGUAGE_CHOICES = LANGUAGES.map((value) => ({
  value: value as string,
  label: languageName(value),
})).toSorted((one, other) => one.label.localeCompare(other.label));
