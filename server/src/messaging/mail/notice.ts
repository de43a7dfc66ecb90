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

export function supportLine(
  { supportEmail }: Letterhead,
  invitation = 'Questions? Write to',
): { html: Html; text: string } | undefined {
  if (!supportEmail) return undefined;
  return {
    html: html`${invitation} ${link(`mailto:${supportEmail}`, supportEmail)}.`,
    text: `${invitation} ${supportEmail}.`,
  };
}

/** "5 minutes", "1 hour", "1 minute and 30 seconds". */
export function duration(totalSeconds: number): string {
  const units: [string, number][] = [
    ['hour', Math.floor(totalSeconds / 3600)],
    ['minute', Math.floor((totalSeconds % 3600) / 60)],
    ['second', totalSeconds % 60],
  ];
  const spoken = units
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return spoken.join(' and ');
}
