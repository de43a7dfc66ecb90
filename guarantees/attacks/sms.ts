import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { type Attack, countsOf, many } from './attack.ts';
import { untilDelivered } from './target.ts';

/** Attacks that make one credit cost the operator more than one SMS, or that send to the most expensive destinations. */
const EMOJI = '\u{1F600}'.repeat(313);

/** Segments as networks bill them, counted independently of the service. */
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
        // Two segments with four digits, three with eight: saved with four, and the code length is raised later.
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
    promise: 'every one refused',
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
      return { measured: countsOf(statuses), holds: statuses.every((status) => status === 400) };
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
        measured: `${countsOf(answers.map(({ status }) => status))}; ${left} messages sent`,
        holds: left <= 10 && left > 0,
      };
    },
  },
];
