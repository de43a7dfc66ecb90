import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

/** What recipients read: the language of the text, and the line that lets phones fill in the code. */
const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: 'US,DE' } }));
const strict = fixture(() => testService({ env: { MESSAGE_LINKS: 'listed' } }));
let count = 0;
const phone = () => `+1415555${6000 + ++count}`;

const owner = async (branding: Record<string, unknown> = {}): Promise<Sender> => {
  count += 1;
  const made = await sender(service, `Alice${count}`, { keys: 1 });
  const bearer = await signedIn(service, made);
  expect((await service.call(updateBranding, { bearer, body: branding })).status).toBe(200);
  return made;
};

const textTo = async (
  by: Sender,
  more: Record<string, unknown>,
): Promise<{ text: string; language: unknown }> => {
  const recipient = phone();
  const { status, body } = await by.send(recipient, more);
  expect(status).toBe(201);
  await service.drain();
  const code = await by.code(recipient);
  const [message] = await service.inbox(recipient);
  expect((await by.state(body.otp_id)).language).toBe(body.language ?? null);
  return { text: message?.text.replaceAll(code, '******') ?? '', language: body.language };
};

const ENGLISH = 'Your verification code is: ******';
const GERMAN = 'Ihr Bestätigungscode lautet: ******';

test.each([
  [undefined, ENGLISH, 'en'],
  ['en-GB', ENGLISH, 'en'],
  ['de-AT', GERMAN, 'de'],
  ['de_DE.UTF-8', GERMAN, 'de'],
  ['', ENGLISH, 'en'],
  ['tlh', ENGLISH, 'en'],
  ['x'.repeat(500), ENGLISH, 'en'],
  [['de'], ENGLISH, 'en'],
  ['14155550771', ENGLISH, 'en'],
  ['gus@example.com', ENGLISH, 'en'],
])(
  'the locale %j sends the text in its language, and never refuses a send',
  async (locale, text, language) => {
    expect(await textTo(await owner(), { locale })).toEqual({ text, language });
  },
);

test('without a locale, our text is in the account’s language', async () => {
  const german = await owner({ default_language: 'de' });
  expect(await textTo(german, {})).toEqual({ text: GERMAN, language: 'de' });
  expect(await textTo(german, { locale: 'en' })).toEqual({ text: ENGLISH, language: 'en' });
  expect(await textTo(german, { locale: 'tlh' })).toEqual({ text: GERMAN, language: 'de' });
});

test('an account’s own text is in its language, and another locale replaces it', async () => {
  const own = await owner({ default_language: 'de', default_message: 'Dein Code: {code}' });
  expect(await textTo(own, {})).toEqual({ text: 'Dein Code: ******', language: 'de' });
  expect(await textTo(own, { locale: 'de-CH' })).toEqual({ text: 'Dein Code: ******', language: 'de' });
  expect(await textTo(own, { locale: 'en' })).toEqual({ text: ENGLISH, language: 'en' });
  expect(await textTo(own, { locale: 'en', message: 'Mein {code}' })).toEqual({
    text: 'Mein ******',
    language: undefined,
  });
});

test('a call speaks the requested language, or else that of the account, and tells it', async () => {
  const french = await owner({ default_language: 'fr' });
  for (const [locale, language, text] of [
    ['de', 'de', 'Guten Tag. Ihr Bestätigungscode für Sixdigit lautet: '],
    ['he', 'fr', 'Bonjour. Votre code de vérification Sixdigit est : '],
  ]) {
    const said = await textTo(french, { channel: 'voice', locale });
    expect([said.language, said.text.replace(/(\d, )*\d\.$/, '')]).toEqual([language, text]);
  }
});

test('a number’s country chooses the language only for an account that wants it, and never against a locale', async () => {
  const to = async (by: Sender, more: Record<string, unknown> = {}) =>
    (await by.send(`+49151234${56000 + ++count}`, more)).body.language;
  expect(await to(await owner())).toBe('en');
  const following = await owner({ language_by_country: true });
  expect([await to(following), await to(following, { channel: 'voice' })]).toEqual(['de', 'de']);
  expect(await to(following, { locale: 'fr' })).toBe('fr');
  expect((await following.send(`reader${++count}@example.com`)).body.language).toBe('en');
});

test('the sentences of an email are in the language of its text, or else in that of the request or the account', async () => {
  const german = await owner({ default_language: 'de' });
  for (const [more, sentence] of [
    [{}, 'Dieser Code läuft in 5 Minuten ab.'],
    [{ message: 'Moin: {code}' }, 'Dieser Code läuft in 5 Minuten ab.'],
    [{ message: 'Coucou : {code}', locale: 'fr' }, 'Ce code expire dans 5 minutes.'],
    [{ locale: 'ar' }, 'مدة صلاحية الرمز: 5 دقائق.'],
  ] as const) {
    const recipient = `reader${++count}@example.com`;
    await german.sent(recipient, more);
    await service.drain();
    expect((await service.inbox(recipient))[0]?.text).toContain(sentence);
  }
});

test('our text in the language before a change is not kept as the account’s own', async () => {
  const own = await owner({ default_message: 'Your verification code is: {code}', default_language: 'de' });
  expect(await textTo(own, {})).toEqual({ text: GERMAN, language: 'de' });
});

test('an email has its subject in the language of its text', async () => {
  const alice = await owner({ default_subject: 'Code of Acme' });
  for (const [locale, subject] of [
    ['de', 'Ihr Bestätigungscode'],
    ['en', 'Code of Acme'],
  ] as const) {
    const recipient = `reader${++count}@example.com`;
    await alice.sent(recipient, { locale });
    await service.drain();
    expect((await service.inbox(recipient))[0]?.subject).toBe(subject);
  }
});

test.each([
  [{ app_hash: 'FA+9qCX9VSu' }, `${ENGLISH}\n\nFA+9qCX9VSu`],
  [{ domain: 'Login.Example.com' }, `${ENGLISH}\n\n@login.example.com #******`],
  [{ domain: 'example.com', app_hash: 'FA+9qCX9VSu' }, `${ENGLISH}\n\n@example.com #****** FA+9qCX9VSu`],
  [{ domain: 'example.com', message: 'Acme {code}' }, 'Acme ******\n\n@example.com #******'],
])('an SMS with %j ends with the line that phones read', async (more, text) => {
  expect((await textTo(await owner(), more)).text).toBe(text);
});

test.each([
  [{ app_hash: 'short' }, { app_hash: ['App hash must have 11 characters.'] }],
  [{ domain: 'https://example.com' }, { domain: ['Domain must be a host, such as example.com.'] }],
  [{ domain: 'localhost' }, { domain: ['Domain must be a host, such as example.com.'] }],
  [{ domain: '10.0.0.1' }, { domain: ['Domain must be a host, such as example.com.'] }],
  [
    { domain: 'example.com', message: `${'é'.repeat(290)}{code}` },
    { message: [expect.stringContaining('3 SMS segments')] },
  ],
])('a send with %j is a field error', async (more, fields) => {
  expect(await (await owner()).send(phone(), more)).toMatchObject({ status: 400, body: fields });
});

test('a text that would be too long in its language is sent in English', async () => {
  const short = await testService({ env: { SMS_MAX_SEGMENTS: '1' } });
  try {
    const alice = await sender(short, 'Alice', { keys: 1 });
    const { status, body } = await alice.send(phone(), {
      locale: 'ru',
      domain: 'accounts.example.com',
      app_hash: 'FA+9qCX9VSu',
    });
    expect([status, body.language, body.segments]).toEqual([201, 'en', 1]);
  } finally {
    await short[Symbol.asyncDispose]();
  }
});

test('where links are limited, an app hash cannot complete one', async () => {
  const alice = await sender(strict, 'Bob', { keys: 1 });
  const { status, body } = await alice.send(phone(), {
    message: 'Your {code} go to evil.',
    app_hash: 'com/abcdefg',
  });
  expect([status, body.app_hash]).toEqual([400, [expect.stringContaining('evil.com')]]);
});

test('a setting of the previous version, without fields of languages, keeps them', async () => {
  const own = await owner({ default_language: 'de', language_by_country: true });
  const bearer = await signedIn(service, own);
  const { body } = await service.call(updateBranding, { bearer, body: { sender_name: 'Acme' } });
  expect(body).toMatchObject({ default_language: 'de', language_by_country: true });
});

test('where links are limited, an SMS takes only a domain that the account has verified', async () => {
  const alice = await sender(strict, 'Alice', { keys: 1 });
  const { status, body } = await alice.send(phone(), { domain: 'bank-login.example' });
  expect([status, body.domain]).toEqual([400, [expect.stringContaining('bank-login.example')]]);
});
