/** Attacks that cost the operator more than one SMS per credit, or that send to the most expensive destinations. */

import { updateProfile, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { type Attack, many, paced, statusesOf } from './attack.ts';
import { networkAddress, type Person, type Target, untilDelivered, WELCOME_CREDITS } from './target.ts';

const EMOJI = '\u{1F600}'.repeat(313);

/** The number of segments that networks bill, counted independently of the service. */
function segmentsOf(text: string): number {
  const isGsm7 = /^[\w\s@£$¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]*$/.test(text);
  const [single, multi] = isGsm7 ? [160, 153] : [70, 67];
  return text.length <= single ? 1 : Math.ceil(text.length / multi);
}

export const sms: Attack[] = [
  {
    name: 'an SMS of 313 emoji for one credit',
    promise: 'refused, naming the segments; no message is sent',
    async run(target) {
      const { key } = await target.tenant();
      const recipient = target.phone();
      const { status, body } = await target.call(sendOtp, {
        apiKey: key,
        body: { channel: 'sms', recipient, message: `${EMOJI}{code}` },
      });
      await untilDelivered(target);
      const sentence = JSON.stringify(body);
      const left = target.carrier.messagesTo(recipient).length;
      return {
        measured: `${status}, ${left} messages; the response ${/\d+ SMS segments/.test(sentence) ? 'names' : 'does not name'} the segments`,
        holds: status === 400 && left === 0 && /\d+ SMS segments/.test(sentence),
      };
    },
  },
  {
    name: "more segments through the account's default message",
    promise: 'refused when saved; at most two segments are sent',
    async run(target) {
      const { key, bearer } = await target.tenant();
      const save = async (default_message: string, default_otp_length: number) =>
        (await target.call(updateBranding, { bearer, body: { default_message, default_otp_length } })).status;
      const statuses = [
        await save(`${EMOJI}{code}`, 6),
        // The message has two segments with a four-digit code and three with eight digits. It is saved with four, then the code
        // is lengthened.
        await save('{code} '.repeat(50), 4),
        await save('{code} '.repeat(34), 8),
      ];
      const recipient = target.phone();
      const sent = await target.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient } });
      await untilDelivered(target);
      const most = Math.max(0, ...target.carrier.messagesTo(recipient).map(({ text }) => segmentsOf(text)));
      return {
        measured: `saved: ${statuses.join(', ')}; sent: ${sent.status} with ${most} segments`,
        holds: statuses.join() === '400,400,200' && most === 2,
      };
    },
  },
  {
    name: 'codes to personal and satellite numbers, with ALLOWED_COUNTRIES=*',
    promise: 'all are refused',
    async run(target) {
      const { key } = await target.tenant();
      const numbers = [
        ['+447012345678', '+15005550006', '+15335550123', '+447081123456'],
        ['+870773111632', '+881612345678', '+88213300655', '+883510012345', '+88812345678', '+979123456789'],
      ].flat();
      const answers = await many(numbers.length, 4, (n) =>
        target.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient: numbers[n] } }),
      );
      const statuses = answers.map(({ status }) => status);
      return { measured: statusesOf(statuses), holds: statuses.every((status) => status === 400) };
    },
  },
  {
    name: 'four accounts text one number 20 times each',
    promise: 'at most 10 in 10 minutes',
    async run(target) {
      const recipient = target.phone();
      const accounts = await many(4, 1, () => target.tenant());
      const answers = await many(80, 16, (n) =>
        target.call(sendOtp, { apiKey: accounts[n % 4]?.key ?? '', body: { channel: 'sms', recipient } }),
      );
      await untilDelivered(target);
      const left = target.carrier.messagesTo(recipient).length;
      return {
        measured: `${statusesOf(answers.map(({ status }) => status))}; ${left} messages sent`,
        holds: left <= 10 && left > 0,
      };
    },
  },
];

/** Attacks through messages that the operator pays for: the dashboard's SMS, sign-ups and welcome credits. */
const proof = (target: Target, who: Person, phone_number: string, more: object = {}) =>
  target.call(updateTwoFactor, {
    bearer: who.bearer,
    from: who.address,
    body: {
      two_factor_enabled: true,
      two_factor_method: 'sms',
      phone_number,
      current_password: who.password,
      ...more,
    },
  });

async function signedUp(target: Target, count: number, address: (n: number) => string): Promise<Person[]> {
  const all = await many(count, 6, (n) => target.signUp(address(n)));
  return all.filter((one) => typeof one !== 'number');
}

export const ownTexts: Attack[] = [
  {
    name: 'one account has dashboard codes texted to 12 numbers',
    promise: 'at most 3 numbers a day',
    async run(target) {
      const [mallory] = await signedUp(target, 1, () => networkAddress(900));
      if (!mallory) throw new Error('The sign-up failed');
      const numbers = Array.from({ length: 12 }, () => target.phone());
      const answers = await many(12, 4, (n) => proof(target, mallory, numbers[n] ?? ''));
      await untilDelivered(target);
      const texted = numbers.filter((number) => target.carrier.messagesTo(number).length > 0).length;
      return {
        measured: `${texted} numbers texted; ${statusesOf(answers.map(({ status }) => status))}`,
        holds: texted <= 3 && texted > 0,
      };
    },
  },
  {
    name: '70 sign-ups from one network, each completed',
    promise: 'at most 60 an hour',
    async run(target) {
      const all = await many(70, 8, (n) => target.signUp(`198.51.100.${1 + n}`));
      const made = all.filter((one) => typeof one !== 'number').length;
      const refused = all.filter((one) => typeof one === 'number');
      return { measured: `${made} accounts, refused: ${statusesOf(refused)}`, holds: made <= 60 && made > 0 };
    },
  },
  {
    name: '20 accounts claim welcome credits for one number in parallel',
    promise: `once: ${WELCOME_CREDITS} credits, and at most 5 texts`,
    async run(target) {
      const people = await signedUp(target, 20, (n) => networkAddress(1_000 + n));
      const number = target.phone();
      const begun = await many(people.length, 5, (n) => proof(target, people[n] as Person, number));
      await untilDelivered(target);
      const codes = target.carrier.messagesTo(number).map(({ code }) => code);
      await many(people.length, 5, async (n) => {
        const session_token = begun[n]?.body.session_token;
        if (typeof session_token !== 'string') return;
        for (const code of new Set(codes)) {
          const { status } = await proof(target, people[n] as Person, number, { session_token, code });
          if (status === 200) return;
        }
      });
      const { credits, accounts } = await target.db.one<{ credits: number; accounts: number }>(
        `select coalesce(sum(b.credits), 0) as credits, count(*) filter (where b.credits > 0) as accounts
         from balances b join accounts a on a.id = b.account_id where a.email = any ($1)`,
        [people.map(({ email }) => email)],
      );
      return {
        measured: `${people.length} accounts got ${credits} credits (${accounts} of them), ${codes.length} texts`,
        holds: credits === WELCOME_CREDITS && codes.length <= 5,
      };
    },
  },
];

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
        measured: `${statusesOf(statuses)}; ${mails} mails`,
        holds: statuses.every((status) => status === 400) && mails === 0,
      };
    },
  },
];
