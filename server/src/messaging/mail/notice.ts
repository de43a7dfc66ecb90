import { duration } from './code-texts.ts';
import {
  button,
  codeBox,
  type Html,
  headerText,
  heading,
  html,
  link,
  note,
  paragraph,
  renderSheet,
} from './layout.ts';

/** An e-mail from Sixdigit to a customer about their account. */
export interface Notice extends Letterhead {
  heading: string;
  paragraphs: readonly string[];
  /** Defaults to the heading. */
  subject?: string | undefined;
  code?: string | undefined;
  /** The lifetime of the code. */
  expiresInSeconds?: number | undefined;
  action?: { label: string; url: string } | undefined;
  /** A muted last paragraph. */
  remark?: string | undefined;
}

export function renderNotice(notice: Notice): Mail {
  const { brand, paragraphs, code, action } = notice;
  if (action && !/^https?:\/\//i.test(action.url))
    throw new Error('A link in a mail must begin with http(s)://');
  const subject = headerText(notice.subject ?? notice.heading);
  const title = headerText(notice.heading);
  const remark = [
    ...(code && notice.expiresInSeconds
      ? [`This code expires in ${duration(notice.expiresInSeconds)}.`]
      : []),
    ...(notice.remark ? [notice.remark] : []),
    ...(notice.ending ? [notice.ending] : []),
  ].join(' ');
  const support = supportLine(notice);

  return {
    subject,
    html: renderSheet({
      name: brand,
      subject,
      preheader: paragraphs[0] ?? '',
      content: [
        heading(title),
        ...paragraphs.map((text) => paragraph(html`${text}`)),
        ...(code ? [codeBox(code)] : []),
        ...(action ? [button(action), note(html`Or open ${link(action.url)}`)] : []),
        ...(remark ? [note(html`${remark}`)] : []),
      ],
      footer: support ? [support.html] : [],
    }),
    text: [
      title,
      ...paragraphs,
      ...(code ? [`Your code: ${code}`] : []),
      ...(action ? [`${action.label}: ${action.url}`] : []),
      ...(remark ? [remark] : []),
      ['-- ', brand, ...(support ? [support.text] : [])].join('\n'),
    ].join('\n\n'),
  };
}

/** A rendered e-mail, ready for a carrier. */
export interface Mail {
  subject: string;
  html: string;
  text: string;
}

/** The brand and support address shown in an e-mail. */
export interface Letterhead {
  brand: string;
  supportEmail?: string | undefined;
  /** Follows the text of any kind of notice. */
  ending?: string | undefined;
}

/** The line that names the support address, with `{address}`. */
export function supportLine(
  { supportEmail }: Letterhead,
  sentence = 'Questions? Write to {address}.',
): { html: Html; text: string } | undefined {
  if (!supportEmail) return undefined;
  const [before = '', after = ''] = sentence.split('{address}');
  return {
    html: html`${before}${link(`mailto:${supportEmail}`, supportEmail)}${after}`,
    text: `${before}${supportEmail}${after}`,
  };
}
