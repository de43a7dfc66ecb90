import type { Language } from '@sixdigit/contract/languages.ts';
import { directionOf, gapAfter, mailSentences, sentences } from './code-texts.ts';
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
  /** With `{code}`, inboxes and locked screens show the code, so the preview line begins with it too. */
  subject: string;
  /** The request's or the account's message, containing `{code}`. */
  messageTemplate: string;
  /** Of the message, as a BCP 47 tag; undefined if nobody has named it. */
  messageLanguage?: string | undefined;
  /** Of the sentences around the message. */
  language: Language;
  code: string;
  expiresInSeconds: number;
}

const placeholder = '{code}';

export function renderOtpMail(mail: OtpMail): Mail {
  const { brand, code, language, messageTemplate, messageLanguage = language } = mail;
  const subject = filled(headerText(mail.subject), code);
  const sender = headerText(mail.senderName ?? '') || brand;
  const { expiry, origin, ...ours } = mailSentences(language, {
    seconds: mail.expiresInSeconds,
    brand,
    sender,
  });
  const warning = sentences(ours.warning, ours.unwanted);
  const direction = directionOf(messageLanguage);
  const spoken = html`lang="${language}" dir="${directionOf(language)}"`;
  const isForAnother = sender !== brand;
  // Recipients of a customer's code should contact that customer, not Sixdigit.
  const support = supportLine(mail, isForAnother ? ours.misuse : ours.questions);

  return {
    subject,
    html: renderSheet({
      language: messageLanguage,
      direction,
      name: sender,
      subject,
      preheader: (mail.subject.includes(placeholder) ? `${code} – ` : '') + sentences(expiry, ours.warning),
      content: [
        ...body(mail, direction),
        note(
          html`<strong class="strong" style="color:#11182f;">${expiry}</strong>${gapAfter(expiry)}${warning}`,
          spoken,
        ),
      ],
      footerAs: spoken,
      footer: [...(isForAnother ? [html`${origin}`] : []), ...(support ? [support.html] : [])],
    }),
    text: [
      filled(messageTemplate, code).trim(),
      `${expiry}\n${warning}`,
      ['-- ', isForAnother ? origin : sender, ...(support ? [support.text] : [])].join('\n'),
    ].join('\n\n'),
  };
}

const filled = (template: string, code: string): string => template.replaceAll(placeholder, () => code);

/** The message and the code in its box. If the message ends with the code, the box takes the code's place. */
function body({ messageTemplate: template, code }: OtpMail, direction: 'ltr' | 'rtl'): Html[] {
  const [before = '', ...rest] = template.split(placeholder);
  const leadsUp = rest.length === 1 && /^[\s.!]*$/.test(rest[0] ?? '');
  return [...paragraphs(leadsUp ? before : template, code, direction), codeBox(code)];
}

/** A brand in Latin letters at the beginning does not turn an Arabic sentence, and an English text in an Arabic mail stays English. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

function paragraphs(template: string, code: string, direction: 'ltr' | 'rtl'): Html[] {
  return template
    .split(/\s*\n\s*\n\s*/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const pieces = text.split(placeholder);
      return paragraph(
        pieces.flatMap((piece, index) => [...(index ? [inlineCode(code)] : []), ...lines(piece)]),
        direction === 'rtl' && RIGHT_TO_LEFT.test(text) ? html`dir="rtl"` : undefined,
      );
    });
}
