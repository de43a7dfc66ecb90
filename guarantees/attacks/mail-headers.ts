import { updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { type Attack, countsOf, paced } from './attack.ts';
import { untilDelivered } from './target.ts';

/** Attacks that inject a header into a mail, or that reorder or hide its text. */
const TEXTS = [
  'Bank\u202Emoc.knab',
  'Bank\r\nBcc: everyone@people.example',
  'Bank\nSubject: other',
  'Bank\u2028Bcc: everyone@people.example',
  'Bank\u2029line',
  'Ba\u200Bnk',
  'Bank\u0000',
  'Bank\u0007bell',
  'Bank\u2066hidden\u2069',
];

export const mailHeaders: Attack[] = [
  {
    name: 'sender names, subjects and names with U+202E, CR LF, U+2028 and other invisible characters',
    promise: 'each is a field error; no mail is sent',
    async run(target) {
      const { key, bearer } = await target.tenant();
      const recipient = 'headers@people.example';
      const tries = TEXTS.flatMap((text) => [
        () => target.call(updateBranding, { bearer, body: { sender_name: text } }),
        () => target.call(updateBranding, { bearer, body: { default_subject: text } }),
        () => target.call(updateProfile, { bearer, body: { first_name: text } }),
        () => target.call(createWebhook, { bearer, body: { name: text, url: 'https://hook.invalid/' } }),
        () => target.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient, subject: text } }),
      ]);
      tries.push(() =>
        target.call(updateBranding, { bearer, body: { sender_name: 'support@bank.example' } }),
      );
      const statuses: number[] = [];
      // Stay below the rate limits of the account.
      for (const attempt of tries) statuses.push((await paced(attempt)).status);
      await untilDelivered(target);
      const mails = target.mail.mailsTo(recipient).length;
      return {
        measured: `${countsOf(statuses)}; ${mails} mails`,
        holds: statuses.every((status) => status === 400) && mails === 0,
      };
    },
  },
];
