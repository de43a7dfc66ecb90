import {
  DEFAULT_MESSAGE,
  DEFAULT_SUBJECT,
  messageTemplate,
  subjectLine,
} from '@sixdigit/contract/code-message.ts';
import { LANGUAGES, languageOf } from '@sixdigit/contract/languages.ts';
import { renderSms, smsSize } from '@sixdigit/contract/text/sms-segments.ts';
import { expect, test } from 'vitest';
import { codeSubject, codeText } from './code-texts.ts';

const LONGEST_NAME = 'x'.repeat(32);
const LONGEST_CODE = '0'.repeat(10);
const APP_HASH = ' FA+9qCX9VSu';
/** Their letters are in GSM-7 or were avoided. All others have 70 characters a segment. */
const GSM = ['en', 'da', 'de', 'fi', 'fr', 'id', 'it', 'nb', 'nl', 'pl', 'sv'];

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
  expect(new Set(LANGUAGES.map((language) => codeText(language))).size).toBe(LANGUAGES.length);
  expect([codeText('en'), codeSubject('en')]).toEqual([DEFAULT_MESSAGE, DEFAULT_SUBJECT]);
  expect(codeText('de', { name: '$& Co' })).toBe('Ihr Bestätigungscode für $& Co lautet: {code}');
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['PT_br', 'pt'],
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
