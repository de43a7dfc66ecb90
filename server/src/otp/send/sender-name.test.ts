import { getBranding, previewBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { signedIn } from '../../../test/signed-in.ts';

/** The sender of mails where EMAIL_FROM has a name. */
const service = fixture(() =>
  serviceWithCarriers(['smtp'], {
    EMAIL_FROM: 'Acme.com Codes <codes@acme.example>',
    MESSAGE_LINKS: 'listed',
    PUBLIC_URL: 'http://sixdigit.example',
  }),
);
const alice = fixture(() => sender(service, 'Alice'));

async function mailTo(recipient: string) {
  await alice.sent(recipient);
  await service.drain();
  return service.smtp.waitForMailTo(recipient);
}

test('the name in EMAIL_FROM is the sender of an account that has set none, and nobody else sends the mail', async () => {
  const mail = await mailTo('one@people.example');
  expect(mail.from).toEqual({ name: 'Acme.com Codes', address: 'codes@acme.example' });
  expect(mail.html).toContain('Acme.com Codes');
  expect(mail.text).not.toContain('on behalf of');
  expect(mail.hello).toBe('sixdigit.example');
});

test('the settings show it, it stays the default when the form is saved, and the preview agrees with the mail', async () => {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getBranding, { bearer });
  expect(body.sender_name).toBe('Acme.com Codes');
  expect((await service.call(updateBranding, { bearer, body })).status).toBe(200);
  expect(
    await service.app.db.one('select sender_name from accounts where id = $1', [alice.account_id]),
  ).toEqual({ sender_name: '' });
  const preview = await service.call(previewBranding, { bearer, body });
  expect(preview.body.text).toContain('Acme.com Codes');
  expect(preview.body.text).not.toContain('on behalf of');
});

test("an account's own sender name comes first, and the mail says who sends it", async () => {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getBranding, { bearer });
  await service.call(updateBranding, { bearer, body: { ...body, sender_name: 'Bobs Shop' } });
  const mail = await mailTo('two@people.example');
  expect(mail.from?.name).toBe('Bobs Shop');
  expect(mail.text).toContain('Sent by Sixdigit on behalf of Bobs Shop.');
});

test("the dashboard's own mails have the same sender", async () => {
  await service.call(forgotPassword, { body: { email: alice.email } });
  await service.drain();
  const mail = await service.smtp.waitForMailTo(alice.email);
  expect(mail.from).toEqual({ name: 'Acme.com Codes', address: 'codes@acme.example' });
});
