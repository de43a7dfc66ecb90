import { getBranding, previewBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { signedIn } from '../../../test/signed-in.ts';

/** The sender of mails where EMAIL_FROM has a name. */
let all: ServiceWithCarriers;
let alice: Sender;
beforeAll(async () => {
  all = await serviceWithCarriers(['smtp'], {
    EMAIL_FROM: 'Acme.com Codes <codes@acme.example>',
    MESSAGE_LINKS: 'listed',
    PUBLIC_URL: 'http://sixdigit.example',
  });
  alice = await sender(all.service, 'Alice');
});
afterAll(() => all[Symbol.asyncDispose]());

async function mailTo(recipient: string) {
  await alice.sent(recipient);
  await all.service.drain();
  return all.smtp.waitForMailTo(recipient);
}

test('the name in EMAIL_FROM is the sender of an account that has set none, and nobody else sends the mail', async () => {
  const mail = await mailTo('one@people.example');
  expect(mail.from).toEqual({ name: 'Acme.com Codes', address: 'codes@acme.example' });
  expect(mail.html).toContain('Acme.com Codes');
  expect(mail.text).not.toContain('on behalf of');
  expect(mail.hello).toBe('sixdigit.example');
});

test('the settings show it, it stays the default when the form is saved, and the preview agrees with the mail', async () => {
  const bearer = await signedIn(all.service, alice);
  const { body } = await all.service.call(getBranding, { bearer });
  expect(body.sender_name).toBe('Acme.com Codes');
  expect((await all.service.call(updateBranding, { bearer, body })).status).toBe(200);
  expect(
    await all.service.app.db.one('select sender_name from accounts where id = $1', [alice.account_id]),
  ).toEqual({ sender_name: '' });
  const preview = await all.service.call(previewBranding, { bearer, body });
  expect(preview.body.text).toContain('Acme.com Codes');
  expect(preview.body.text).not.toContain('on behalf of');
});

test("an account's own sender name comes first, and the mail says who sends it", async () => {
  const bearer = await signedIn(all.service, alice);
  const { body } = await all.service.call(getBranding, { bearer });
  await all.service.call(updateBranding, { bearer, body: { ...body, sender_name: 'Bobs Shop' } });
  const mail = await mailTo('two@people.example');
  expect(mail.from?.name).toBe('Bobs Shop');
  expect(mail.text).toContain('Sent by Sixdigit on behalf of Bobs Shop.');
});

test("the dashboard's own mails have the same sender", async () => {
  await all.service.call(forgotPassword, { body: { email: alice.email } });
  await all.service.drain();
  const mail = await all.smtp.waitForMailTo(alice.email);
  expect(mail.from).toEqual({ name: 'Acme.com Codes', address: 'codes@acme.example' });
});
