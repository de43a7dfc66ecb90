import type { Language } from '@sixdigit/contract/languages.ts';
import { gapAfter, mailSentences, sentences } from './code-texts.ts';
import {
  codeBox,
  type Html,
  headerText,
  html,
  inlineCode,
  lines,
  note,
  paragraph,
  renderSheet,
} from './layout.ts';
import { type Letterhead, type Mail, supportLine } from './notice.ts';

/** The e-mail with a verification code and the customer's own message. */
export interface OtpMail extends Letterhead {
  senderName?: string | undefined;
  subject: string;
  /** The request's or the account's message, containing `{code}`. */
  messageTemplate: string;
  /** Of the sentences around the message. */
  language: Language;
  code: string;
  expiresInSeconds: number;
}

const placeholder = '{code}';

export function renderOtpMail(mail: OtpMail): Mail {
  const { brand, code, language, messageTemplate } = mail;
  const subject = headerText(mail.subject);
  const sender = headerText(mail.senderName ?? '') || brand;
  const { direction, expiry, origin, ...ours } = mailSentences(language, {
    seconds: mail.expiresInSeconds,
    brand,
    sender,
  });
  const warning = sentences(ours.warning, ours.unwanted);
  const isForAnother = sender !== brand;
  // Recipients of a customer's code should contact that customer, not Sixdigit.
  const support = supportLine(mail, isForAnother ? ours.misuse : ours.questions);

  return {
    subject,
    html: renderSheet({
      language,
      direction,
      name: sender,
      subject,
      preheader: sentences(expiry, ours.warning),
      content: [
        ...body(messageTemplate, code),
        note(
          html`<strong class="strong" style="color:#11182f;">${expiry}</strong>${gapAfter(expiry)}${warning}`,
        ),
      ],
      footer: [...(isForAnother ? [html`${origin}`] : []), ...(support ? [support.html] : [])],
    }),
    text: [
      messageTemplate.replaceAll(placeholder, () => code).trim(),
      `${expiry}\n${warning}`,
      ['-- ', isForAnother ? origin : sender, ...(support ? [support.text] : [])].join('\n'),
    ].join('\n\n'),
  };
}

/** The message and the code in its box. If the message ends with the code, the box takes the code's place. */
function body(template: string, code: string): Html[] {
  const [before = '', ...rest] = template.split(placeholder);
  const leadsUp = rest.length === 1 && /^[\s.!]*$/.test(rest[0] ?? '');
  return [...paragraphs(leadsUp ? before : template, code), codeBox(code)];
}

function paragraphs(template: string, code: string): Html[] {
  return template
    .split(/\s*\n\s*\n\s*/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const pieces = text.split(placeholder);
      return paragraph(
        pieces.flatMap((piece, index) => [...(index ? [inlineCode(code)] : []), ...lines(piece)]),
      );
    });
}
