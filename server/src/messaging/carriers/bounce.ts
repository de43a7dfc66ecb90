/**
 * Mails that mail servers send to a message's bounce address: delivery status notifications (RFC 3464) and feedback reports about
 * complaints (RFC 5965). They are strangers' text. Only the parts of the mail itself count, never those of a mail that it quotes.
 */
import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import PostalMime, { type Attachment } from 'postal-mime';
import { MAIL_STATES, type MailEvent, shownWords } from './mail-event.ts';

export interface Bounce {
  mail: MailEvent;
  state: (typeof MAIL_STATES)[MailEvent];
  /** such as `5.1.1` */
  status: string | null;
  /** the mail server's words, in the form that is shown */
  detail: string | null;
  /** the address that was refused; undefined for a complaint */
  bounced?: string | null;
  /** the envelope sender of the message that a complaint is about */
  original_sender: string;
}

/** The parser takes microseconds for each line, and the end of a report only quotes the message. */
const READ_BYTES = 128 * 1024;
const READ_LINES = 5_000;
const HEAD_BYTES = 64 * 1024;
const PART_BYTES = 64 * 1024;
const MOST_GROUPS = 50;
const LIMITS = { forceRfc822Attachments: true, maxNestingDepth: 8, maxHeadersSize: 8 * 1024 };

/** The header fields of a mail, with folded lines joined. Reads no part of the body. */
export function headOf(raw: Buffer): string {
  return unfolded(splitAtBody(raw).head);
}

function splitAtBody(raw: Buffer): { head: string; body: Buffer } {
  const text = raw.subarray(0, HEAD_BYTES).toString('latin1');
  const border = /\r?\n\r?\n/.exec(text);
  const end = border ? border.index + border[0].length : raw.length;
  return { head: text.slice(0, border?.index), body: raw.subarray(end) };
}

const unfolded = (text: string): string => text.replace(/\r?\n[ \t]+/g, ' ');

/** Automatic replies and quoted bounces are not reports. */
export const isReport = (head: string): boolean => /^content-type:\s*multipart\/report\b/im.test(head);

/** The recipients in the header fields that mail servers add, and in `To`. */
export const recipientsIn = (head: string): string =>
  (head.match(/^(?:to|delivered-to|x-original-to):.*$/gim) ?? []).join('\n');

/** Undefined if the mail is neither a bounce, a delay nor a complaint. Throws if it cannot be read. */
export async function readBounce(raw: Buffer): Promise<Bounce | undefined> {
  const { attachments } = await PostalMime.parse(structureOf(raw), LIMITS);
  const groupsIn = (...types: string[]) =>
    groupsOf(attachments.find(({ mimeType }) => types.includes(mimeType)));
  const complaint = complaintOf(groupsIn('message/feedback-report'));
  return complaint ?? statusOf(groupsIn('message/delivery-status', 'message/global-delivery-status'));
}

/** Only the header fields about its parts: the parser's time is quadratic in the length of a list of addresses. */
function structureOf(raw: Buffer): Buffer {
  const { head, body } = splitAtBody(raw);
  const fields = unfolded(head).match(/^(?:content-[\w-]+|mime-version):.*$/gim) ?? [];
  return Buffer.concat([Buffer.from(`${fields.join('\r\n')}\r\n\r\n`, 'latin1'), beginningOf(body)]);
}

function beginningOf(raw: Buffer): Buffer {
  let end = 0;
  for (let n = 0; n < READ_LINES; n += 1) {
    const at = raw.indexOf('\n', end);
    if (at === -1 || at >= READ_BYTES) return raw.subarray(0, READ_BYTES);
    end = at + 1;
  }
  return raw.subarray(0, end);
}

type Fields = Map<string, string>;

/** Groups of fields, separated by empty lines (RFC 3464, 2.1). */
function groupsOf(part: Attachment | undefined): Fields[] {
  if (!part) return [];
  const { content } = part;
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
  return bytes
    .subarray(0, PART_BYTES)
    .toString()
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .slice(0, MOST_GROUPS)
    .map((group) => {
      const fields: Fields = new Map();
      for (const line of unfolded(group).split(/\r?\n/)) {
        const [, name, value] = /^([\w-]+):(.*)$/.exec(line) ?? [];
        if (name && value !== undefined && !fields.has(name.toLowerCase()))
          fields.set(name.toLowerCase(), value.trim());
      }
      return fields;
    });
}

/** Reports about failed authentication and mails that are not spam have other types. */
const COMPLAINTS = ['abuse', 'fraud', 'opt-out'];

function complaintOf([fields]: Fields[]): Bounce | undefined {
  const type = fields?.get('feedback-type')?.toLowerCase() ?? '';
  if (!COMPLAINTS.includes(type)) return undefined;
  const original_sender = fields?.get('original-mail-from') ?? '';
  return { mail: 'complaint', state: MAIL_STATES.complaint, status: type, detail: null, original_sender };
}

function statusOf([, ...recipients]: Fields[]): Bounce | undefined {
  const withAction = (action: string) =>
    recipients.find((fields) => fields.get('action')?.toLowerCase() === action);
  const failed = withAction('failed');
  const fields = failed ?? withAction('delayed');
  if (!fields) return undefined;
  const words = fields.get('diagnostic-code')?.replace(/^[\w-]+;\s*/, '') ?? '';
  const code = enhancedCode(fields.get('status') ?? '', words);
  const mail = failed ? failureOf(code) : 'delayed';
  return {
    mail,
    state: MAIL_STATES[mail],
    status: code,
    detail: shownWords(code && !words.includes(code) ? `${code} ${words}` : words),
    bounced: addressOf(fields.get('final-recipient')),
    original_sender: '',
  };
}

/** Some mail servers give a general status, such as 5.0.0, and the exact one in the reply that they quote. */
function enhancedCode(status: string, words: string): string | null {
  const own = /^[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(status)?.[0] ?? null;
  const quoted = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(words)?.[1];
  return quoted && (own === null || own.endsWith('.0.0')) ? quoted : own;
}

/** RFC 3463: the address does not exist. 5.1.7 and 5.1.8 are about the sender, and 5.1.0 can be. */
const NO_SUCH_ADDRESS = /^5\.1\.(?:1|2|3|6|10)$/;
const BLOCKED = /^5\.(?:7\.\d+|1\.[78])$/;

const failureOf = (code: string | null): 'hard_bounce' | 'soft_bounce' | 'blocked' =>
  NO_SUCH_ADDRESS.test(code ?? '') ? 'hard_bounce' : BLOCKED.test(code ?? '') ? 'blocked' : 'soft_bounce';

/** `rfc822; alice@example.com` */
const addressOf = (field: string | undefined): string | null =>
  canonicalEmail(field?.replace(/^[\w-]+;\s*/, '').replace(/^<|>$/g, '') ?? '') ?? null;
