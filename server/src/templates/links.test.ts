import { createTemplate } from '@sixdigit/contract/templates.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

/** Links in templates and in the values of their variables. */
const service = fixture(testService);
const strict = fixture(() => testService({ env: { MESSAGE_LINKS: 'listed' } }));
let count = 0;
const phone = () => `+1415555${8000 + ++count}`;

const owner = async (on = service) => {
  const made = await sender(on, `Alice${++count}`, { keys: 2, scopes: ['otp:own_code'] });
  return { ...made, bearer: await signedIn(on, made) };
};
const withText = (name: string, text: string) => ({
  name,
  texts: [{ channel: 'sms' as const, locale: 'en', text, subject: null }],
  dlt: null,
});

test('where links are limited, neither a template nor its rendered text links to a domain that is not proven', async () => {
  const alice = await owner(strict);
  const { bearer } = alice;
  const linking = withText('linking', 'https://bank.example {code}');
  expect((await strict.call(createTemplate, { bearer, body: linking })).status).toBe(400);
  await strict.app.db.run(`update accounts set sender_name = 'evil.' where id = $1`, [alice.account_id]);
  const named = withText('named', 'See {brand}{code}');
  expect((await strict.call(createTemplate, { bearer, body: named })).status).toBe(201);
  expect((await alice.send(phone(), { template: 'named' })).status).toBe(201);
  const { status, body } = await alice.send(phone(), { template: 'named', code: 'INFO' });
  expect([status, body.template]).toEqual([400, [expect.stringContaining('evil.info')]]);
});

test.each([
  ['See {a}{b} {code}', { a: 'evil.', b: 'com' }, {}],
  ['See evil{a}com {code}', { a: '.' }, {}],
  ['See http:{a} {code}', { a: '//evil' }, {}],
  ['See {code}{a}', { a: '.com' }, {}],
  ['See {a}.{code}', { a: 'evil' }, { code: 'INFO' }],
])('values of %s never complete a link', async (text, values, more) => {
  const alice = await owner();
  const body = withText('split', text);
  expect((await service.call(createTemplate, { bearer: alice.bearer, body })).status).toBe(201);
  const sent = await alice.send(phone(), { template: 'split', variables: values, ...more });
  expect(sent.body).toMatchObject({ variables: ['Values must not complete a link.'] });
});
