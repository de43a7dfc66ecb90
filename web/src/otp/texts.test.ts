import { expect, test } from 'vitest';
import { isOurText, languageText } from './texts.ts';

const sent = { channel: 'sms', language: 'de', locale: null, template: null } as const;

test('the language of a text is named with the requested one, if that is another', () => {
  expect(languageText({ ...sent, language: 'en' })).toBe('English');
  expect(languageText({ ...sent, locale: 'de' })).toBe('German');
  expect(languageText({ ...sent, locale: 'de-AT' })).toBe('German, requested: de-AT');
  expect(languageText({ ...sent, language: null, locale: 'fr' })).toBe('requested: fr');
});

test('a template, a text of the sender and the unspoken text of a call are not our text', () => {
  expect(isOurText(sent)).toBe(true);
  for (const other of [{ template: 'order' }, { language: null }, { channel: 'voice' as const }])
    expect(isOurText({ ...sent, ...other })).toBe(false);
});
