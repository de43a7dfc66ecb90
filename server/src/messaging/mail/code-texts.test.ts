import {
  DEFAULT_MESSAGE,
  DEFAULT_SUBJECT,
  messageTemplate,
  subjectLine,
} from '@sixdigit/contract/code-message.ts';
import { callLanguageOf, LANGUAGES, languageOf, languageOfCountry } from '@sixdigit/contract/languages.ts';
import { renderSms, smsSize } from '@sixdigit/contract/text/sms-segments.ts';
import { expect, test } from 'vitest';
import { callScript, codeSubject, codeText } from './code-texts.ts';

const LONGEST_NAME = 'x'.repeat(32);
const LONGEST_CODE = '0'.repeat(10);
const APP_HASH = ' FA+9qCX9VSu';
/** Their letters are in GSM-7 or were avoided. All others have 70 characters a segment. */
const GSM = 'en af ca da de et fi fr hr id it lt ms nb nl pl ro sv tl'.split(' ');

test.each(LANGUAGES)('the texts in %s fit an SMS and pass the checks of messages', (language) => {
  for (const text of [codeText(language), codeText(language, { name: LONGEST_NAME })]) {
    expect(messageTemplate.parse(text)).toBe(text);
    expect(text.endsWith('{code}')).toBe(true);
    const { segments, encoding } = smsSize(renderSms(text, LONGEST_CODE));
    expect([segments, encoding]).toEqual([1, GSM.includes(language) ? 'GSM-7' : 'UCS-2']);
  }
  const most = `<#> ${codeText(language, { name: LONGEST_NAME, isWarned: true })}${APP_HASH}`;
  expect(smsSize(renderSms(most, LONGEST_CODE)).segments).toBeLessThanOrEqual(2);
  expect(subjectLine.parse(codeSubject(language))).toBe(codeSubject(language));
});

test('each language has its own texts, and those of English are the default ones', () => {
  expect(LANGUAGES).toHaveLength(40);
  expect(new Set(LANGUAGES.map((language) => codeText(language))).size).toBe(LANGUAGES.length);
  expect([codeText('en'), codeSubject('en')]).toEqual([DEFAULT_MESSAGE, DEFAULT_SUBJECT]);
  expect(codeText('de', { name: '$& Co' })).toBe('Ihr Bestätigungscode für $& Co lautet: {code}');
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['PT_br', 'pt-BR'],
  ['pt-AO', 'pt'],
  ['fil-PH', 'tl'],
  ['iw', 'he'],
  ['en-GB', 'en'],
  ['no', 'nb'],
  ['nn-NO', 'nb'],
  ['zh', 'zh'],
  ['zh-CN', 'zh'],
  ['zh_TW', 'zh-Hant'],
  ['zh-Hant-HK', 'zh-Hant'],
  ['is', 'en'],
  ['constructor', 'en'],
  ['', 'en'],
])('a person whose language is "%s" gets the texts in %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});

test('a call without a text in its language speaks that of the account, or else English', () => {
  expect(callLanguageOf('he', 'fr')).toBe('fr');
  expect(callLanguageOf('he', 'he')).toBe('en');
  const spoken = LANGUAGES.filter((language) => callLanguageOf(language, 'en') === language);
  // Two of them are Portuguese.
  expect(spoken).toHaveLength(25);
  for (const language of spoken.map((one) => callLanguageOf(one, 'en'))) {
    const said = callScript(language, 'Acme', '042').flatMap((part) => ('say' in part ? part.say : []));
    expect(said.filter((text) => text.includes('0, 4, 2'))).toHaveLength(3);
    expect(said.join(' ')).toContain('Acme');
    expect(said.join(' ')).not.toContain('{');
  }
});

test.each([
  ['DE', 'de'],
  ['BR', 'pt-BR'],
  ['HK', 'zh-Hant'],
  ['CN', 'zh'],
  ['NO', 'nb'],
  ['PH', 'tl'],
  ['IL', 'he'],
  ['US', 'en'],
  ['KE', 'fr'],
])(
  'without a requested language, a number of %s gets %s if the account speaks French',
  (country, language) => {
    expect(languageOfCountry(country, 'fr')).toBe(language);
  },
);
