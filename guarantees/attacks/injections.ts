/** Attacks through what a send says of a customer's visitor: metadata, variables, purpose and limits. */

import { createLimit } from '@sixdigit/contract/limits.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { createTemplate } from '@sixdigit/contract/templates.ts';
import { exportVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { type Attack, paced, statusesOf } from './attack.ts';
import { type CallInput, type Target, untilDelivered } from './target.ts';

/** Not one line of plain text. */
const BROKEN = [
  'mallory\r\nBcc: everyone@people.example',
  'mallory\n{"level":"error","msg":"mallory"}',
  'mallory\u0000',
  'mallory\uD800',
];
/** A name in a text must not be markup, a placeholder or a link either. */
const NO_NAMES = [
  ...BROKEN,
  '<img src=x onerror=mallory()>',
  '{code}',
  'https://mallory.com',
  'mallory\u202E',
  'mallory\u2028Subject: mallory',
];
const NAMES = [
  '=1+1+mallory',
  '@mallory',
  "$& $1 $' mallory",
  '&lt;b&gt;mallory',
  "'; drop table mallory; --",
];
const LABELS = [
  ...NAMES,
  '=HYPERLINK("https://mallory.example")',
  '<img src=x onerror=mallory()>',
  '","recipient":"+14155550100","mallory":"',
  '{code} mallory',
  'mallory\u2028mallory',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of loggers
  '${jndi:ldap://mallory.example/x}',
];

/** An account with a template, a limit and an endpoint. */
async function shop(target: Target) {
  const { key: apiKey, bearer, account_id } = await target.tenant();
  const text = 'Order of {name}: {code}';
  const texts = [
    { channel: 'sms', locale: 'en', text },
    { channel: 'email', locale: 'en', text, subject: 'Order of {name}' },
  ];
  const made = [
    await target.call(createTemplate, { bearer, body: { name: 'order', texts } }),
    await target.call(createLimit, {
      bearer,
      body: { name: 'visitor', max_sends: 100, period_seconds: 3_600 },
    }),
    await target.call(createWebhook, { bearer, body: { name: 'Shop', url: 'https://hook.invalid/' } }),
  ].map(({ status }) => status);
  if (made.some((status) => status !== 201)) throw new Error(`The shop got ${made.join(', ')}`);
  const send = (body: object) => paced(() => target.call(sendOtp, { apiKey, body } as CallInput));
  return { bearer, account_id, send };
}

/** The quoted cells of a CSV. */
const cellsOf = (csv: string): string[] =>
  [...csv.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell.replaceAll('""', '"'));

export const injections: Attack[] = [
  {
    name: 'line breaks, control characters, markup, placeholders and links in metadata, variables, purpose and limits',
    promise: 'each is a field error; nothing is sent',
    async run(target) {
      const { send } = await shop(target);
      const recipient = 'broken@people.example';
      const bodies = [
        ...BROKEN.flatMap((text) => [{ metadata: { note: text } }, { limits: { visitor: text } }]),
        ...NO_NAMES.flatMap((name) => [{ purpose: name }, { template: 'order', variables: { name } }]),
      ];
      const statuses: number[] = [];
      for (const body of bodies) statuses.push((await send({ channel: 'email', recipient, ...body })).status);
      await untilDelivered(target);
      const mails = target.mail.mailsTo(recipient).length;
      return {
        measured: `${statusesOf(statuses)}; ${mails} mails`,
        holds: statuses.every((status) => status === 400) && mails === 0,
      };
    },
  },
  {
    name: 'formulas, markup, JSON, SQL and placeholders in values that are allowed',
    promise: 'each is itself in mails, texts, webhooks and CSV, is no formula there, and is in no log',
    async run(target) {
      const { bearer, account_id, send } = await shop(target);
      const wrong: string[] = [];
      const expected = new Map<string, string>();
      for (const [n, label] of LABELS.entries()) {
        const name = NAMES[n % NAMES.length] ?? '';
        const [mailbox, phone] = [`visitor.${n}@people.example`, target.phone()];
        const more = { template: 'order', variables: { name } };
        for (const recipient of [mailbox, phone]) {
          const channel = recipient === phone ? 'sms' : 'email';
          const labels = { metadata: { note: label }, limits: { visitor: label } };
          const { status, body } = await send({ channel, recipient, ...more, ...labels });
          if (status !== 201) wrong.push(`a send got ${status}`);
          expected.set(String(body.otp_id), label);
        }
        await untilDelivered(target);
        const [text] = target.carrier.messagesTo(phone);
        const mail = await target.mail.waitForMailTo(mailbox);
        if (text?.text !== `Order of ${name}: ${text?.code}`) wrong.push(`the text ${text?.text}`);
        if (mail.subject !== `Order of ${name}`) wrong.push(`the subject ${mail.subject}`);
        if (!mail.text?.includes(`Order of ${name}: ${mail.code}`)) wrong.push(`the mail to ${name}`);
        if (/<b>mallory|<img src=x/.test(mail.html ?? '') || /^bcc:/im.test(mail.raw))
          wrong.push('markup in a mail');
      }
      const published = await target.db.rows<{ otp_id: string; body: { data: Record<string, unknown> } }>(
        `select distinct otp_id, body from webhook_messages where account_id = $1 and type = 'otp.sent'`,
        [account_id],
      );
      for (const { otp_id, body } of published)
        if ((body.data.metadata as { note?: string } | undefined)?.note !== expected.get(otp_id))
          wrong.push(`the webhook ${JSON.stringify(body)}`);
      const answer = await fetch(target.url + API_BASE + exportVerifications.path, {
        headers: { authorization: `Bearer ${bearer}`, 'x-forwarded-for': '203.0.113.50' },
      });
      const cells = cellsOf(await answer.text());
      // A phone number stays as it is.
      const formulas = cells.filter((cell) => /^\s*[=@+-]/.test(cell) && !/^\+\d+$/.test(cell));
      wrong.push(...formulas.map((cell) => `the cell ${cell}`));
      const plain = (text: string) => text.replaceAll("'", '');
      const shown = LABELS.filter((label) =>
        cells.some((cell) => plain(cell).includes(plain(JSON.stringify(label)))),
      );
      const logged = [...target.fleet.problems.keys()].filter((text) => text.includes('mallory')).length;
      return {
        measured: `${expected.size} sends, ${published.length} webhooks, ${shown.length} of ${LABELS.length} values in the CSV, ${logged} logged; ${wrong.length === 0 ? 'none wrong' : wrong.join('; ')}`,
        holds:
          wrong.length === 0 &&
          published.length === expected.size &&
          shown.length === LABELS.length &&
          logged === 0,
      };
    },
  },
];
