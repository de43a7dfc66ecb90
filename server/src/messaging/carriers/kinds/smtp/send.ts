import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import DKIM from 'nodemailer/lib/dkim';
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import { connectPublic } from '../../../../platform/outbound/connect.ts';
import { isUuid, timeOfUuid } from '../../../../platform/security/random.ts';
import {
  type Carrier,
  dispatchTimeoutMs,
  type Message,
  type Outcome,
  type Refused,
  withWords,
} from '../../carrier.ts';
import {
  hasControl,
  isAddress,
  type Mailbox,
  parseMailbox,
  type SenderNames,
  senderOf,
  undecoded,
} from '../../email-address.ts';
import type { Reach } from '../../post.ts';
import { type Dkim, dkimKey } from './dkim.ts';
import { helloNameOf, smtpOptions } from './url.ts';

/**
 * E-mail over SMTP with a connection pool. Acceptance by the mail server means "sent", never "delivered". Until the first byte
 * of the message is sent, a failure means that the server did not accept it; after that, only the server's reply is conclusive.
 */
export interface SmtpOptions {
  /** `smtp` unless given */
  name?: string;
  url: string;
  /** `address` or `Name <address>`. */
  from: string;
  /** The sender's display name if neither the message nor `from` has one. */
  brandName: string;
  /** The sender name of messages whose account has set none. A name in `from` replaces it. */
  defaultName?: string;
  /** Its host name is announced in EHLO. */
  publicUrl?: string | undefined;
  /** Signs mails. */
  dkim?: Dkim | undefined;
  bounceDomain?: string | undefined;
  reach?: Reach | undefined;
  timeoutMs?: number | undefined;
}

export function smtpCarrier(options: SmtpOptions): Carrier {
  const mailbox = parseMailbox(options.from);
  if (!mailbox) throw new Error('EMAIL_FROM must be an e-mail address or "Name <address>"');
  const timeoutMs = options.timeoutMs ?? dispatchTimeoutMs;
  const server = smtpOptions(
    options.url,
    helloNameOf({ publicUrl: options.publicUrl, emailFrom: options.from }),
  );
  const { reach } = options;
  const transport = createTransport({
    ...server,
    ...(reach ? { getSocket: checkedSocket(options.url, reach, timeoutMs) } : {}),
    pool: true,
    maxMessages: 1_000,
    // The library retries only connections that were lost before a byte of the message was sent.
    maxRequeues: 3,
    idleTimeout: 30_000,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Longer than the dispatch timeout, so that the dispatch is canceled first.
    socketTimeout: timeoutMs + 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The message body of each dispatch, by its abort signal. The library reads it after the server accepts DATA (354).
  const bodies = new WeakMap<AbortSignal, Readable>();
  const signer = options.dkim && signerOf(options.dkim, mailbox);
  transport.use('stream', (mail, done) => {
    mail.message.processFunc((unsigned) => {
      // The library's own signing would read the body before the server accepts DATA.
      const body = signer ? signer.sign(unsigned) : unsigned;
      if (mail.data.signal) bodies.set(mail.data.signal, body);
      return body;
    });
    done();
  });
  return {
    name: options.name ?? 'smtp',
    channels: ['email'],
    bounceDomain: options.bounceDomain,
    async dispatch(message, signal) {
      const refusal = unfit(message);
      if (refusal) return refusal;
      const deadline = AbortSignal.timeout(timeoutMs);
      const both = AbortSignal.any([signal, deadline]);
      try {
        const info = await transport.sendMail({ ...mail(message, mailbox, options), signal: both });
        return { kind: 'accepted', provider_message_id: info.messageId };
      } catch (error) {
        const stopped = deadline.aborted ? 'timeout' : signal.aborted ? 'canceled' : undefined;
        const failed = failure(error as SmtpError, {
          isWritten: bodies.get(both)?.readableDidRead === true,
          stopped,
        });
        return withWords(failed, message, (error as SmtpError).response);
      }
    },
    async close() {
      transport.close();
    },
  };
}

function signerOf(dkim: Dkim, { address }: Mailbox): DKIM {
  const privateKey = dkimKey(dkim.key)?.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (privateKey === undefined) throw new Error('DKIM_PRIVATE_KEY must be an RSA key in base64');
  const domainName = address.slice(address.lastIndexOf('@') + 1);
  return new DKIM({ domainName, keySelector: dkim.selector, privateKey });
}

type GetSocket = NonNullable<SMTPPoolOptions['getSocket']>;

/** Opens the pool's connections, only to addresses that the carrier may have. The library then negotiates TLS with the host's name. */
function checkedSocket(smtpUrl: string, { allowPrivate, resolve }: Reach, timeoutMs: number): GetSocket {
  const { host = '', port } = smtpOptions(smtpUrl);
  const url = new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return (_options, done) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const limits = { allowPrivate, connectTimeoutMs: timeoutMs, deadline, resolve };
    connectPublic(url, limits).then(
      (connection) => done(null, { connection }),
      (error: Error) => done(error, false),
    );
  };
}

function mail(message: Message, mailbox: Mailbox, names: SenderNames) {
  const { address } = mailbox;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return {
    // Identical for a repeated dispatch, so that mailboxes can detect the duplicate.
    messageId: `<otp.${message.id}@${domain}>`,
    from: senderOf(mailbox, message, names),
    to: { name: '', address: message.recipient },
    ...(message.return_path ? { envelope: envelopeOf(message, message.return_path) } : {}),
    ...(message.reply_to ? { replyTo: { name: '', address: message.reply_to } } : {}),
    subject: undecoded(message.subject ?? ''),
    text: message.text,
    ...(message.html ? { html: message.html } : {}),
    // Mail programs sort by this time: an older code whose dispatch was retried must not stand above a newer one.
    ...(isUuid(message.id) ? { date: new Date(timeOfUuid(message.id)) } : {}),
    headers: {
      // RFC 3834 and its Exchange equivalent: suppress out-of-office replies.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // Gmail folds mails with equal subjects into one conversation, and hides text that they share, unless this differs.
      'X-Entity-Ref-ID': message.id,
    },
    xMailer: false as const,
  };
}

/** Asks mail servers to return only the headers (RFC 3461, 4.3), so that bounces quote no code but that of a subject. */
const envelopeOf = ({ recipient }: Message, return_path: string) => ({
  from: return_path,
  to: recipient,
  dsn: { return: 'headers' as const },
});

/** Refuses messages that must never reach a mail server, independently of the library's own checks. */
function unfit(message: Message): Refused | undefined {
  if (!isAddress(message.recipient)) {
    return {
      kind: 'refused',
      reason: 'invalid_recipient',
      detail: 'The e-mail address is not valid.',
      final: true,
    };
  }
  const headers = [message.subject, message.sender_name, message.reply_to, message.id];
  if (headers.some((value) => value !== undefined && hasControl(value))) {
    return {
      kind: 'refused',
      reason: 'invalid_header',
      detail: 'The subject, sender name or reply-to address contains control characters.',
      final: true,
    };
  }
  if (message.reply_to && !isAddress(message.reply_to)) {
    return {
      kind: 'refused',
      reason: 'invalid_header',
      detail: 'The reply-to address is not valid.',
      final: true,
    };
  }
  return undefined;
}

interface SmtpError extends Error {
  code?: string;
  /** Why our own guard made no connection. */
  reason?: string;
  /** The server's last reply. */
  response?: string;
  command?: string;
  responseCode?: number;
}

function failure(
  error: SmtpError,
  { isWritten, stopped }: { isWritten: boolean; stopped: 'timeout' | 'canceled' | undefined },
): Outcome {
  if (error.responseCode) return replied(error, error.responseCode);
  if (isWritten) {
    const what = stopped === 'timeout' ? 'did not respond in time' : 'closed the connection';
    return {
      kind: 'uncertain',
      reason:
        stopped === 'canceled' ? 'canceled' : stopped === 'timeout' ? 'carrier_timeout' : 'carrier_reset',
      detail: `The mail server ${what} and may have accepted the message.`,
    };
  }
  if (stopped === 'canceled') {
    return { kind: 'refused', reason: 'canceled', detail: 'The dispatch was canceled.', temporary: true };
  }
  const fault = stopped ? undefined : certificateFault(error);
  if (fault !== undefined) {
    const detail = `The mail server could not be trusted: its TLS certificate ${fault}.`;
    return { kind: 'refused', reason: 'carrier_untrusted', detail, rest: true, temporary: true };
  }
  if (error.reason === 'blocked_address') {
    const detail =
      'The mail server has an address inside this network, which carriers of the console may not use.';
    return { kind: 'refused', reason: 'carrier_blocked', detail, rest: true };
  }
  const [reason, what] = unreached[error.code ?? ''] ?? ['carrier_unreachable', 'could not be reached'];
  const detail = `The mail server ${stopped === 'timeout' ? 'did not get ready in time' : what}.`;
  const refused: Refused = { kind: 'refused', reason, detail, rest: true };
  return reason === 'carrier_unauthorized' && !stopped ? refused : { ...refused, temporary: true };
}

const unreached: Record<string, [reason: string, what: string] | undefined> = {
  EDNS: ['carrier_unreachable', 'could not be found: its host name does not resolve'],
  ETLS: ['carrier_untrusted', 'and this service could not agree on TLS'],
  EAUTH: ['carrier_unauthorized', 'refused the user name or password'],
  ENOAUTH: ['carrier_unauthorized', 'requires a user name and password'],
  EPROTOCOL: ['carrier_error', 'does not speak SMTP as expected'],
};

/** A reply is conclusive, even after the whole message was sent: a server that replies 4xx or 5xx has not accepted it. */
function replied({ code, command, response }: SmtpError, status: number): Refused {
  const smtp = `(SMTP ${status})`;
  // RFC 5321, section 4.2.1: 4yz is temporary, 5yz is permanent.
  const temporary = status < 500 ? ({ temporary: true } as const) : {};
  if (code === 'EAUTH') {
    const detail = `The mail server refused the user name or password ${smtp}.`;
    return { kind: 'refused', reason: 'carrier_unauthorized', detail, rest: true, ...temporary };
  }
  if (code === 'ETLS') {
    const detail = `The mail server and this service could not agree on TLS ${smtp}.`;
    return { kind: 'refused', reason: 'carrier_untrusted', detail, rest: true, ...temporary };
  }
  const isAboutRecipient = command === 'RCPT TO';
  if (status < 500) {
    const detail = `The mail server put the message off ${smtp}.`;
    const refused: Refused = { kind: 'refused', reason: 'deferred', detail, temporary: true };
    return isGreylisting(command, status) ? refused : { ...refused, rest: true };
  }
  if (isAboutRecipient) {
    const detail = `The mail server refused the recipient ${smtp}.`;
    const refused: Refused = { kind: 'refused', reason: 'recipient_refused', detail };
    // RFC 3463: no such mailbox. Other codes can be about the sender or a policy.
    return /^55\d[ -]5\.1\.(?:1|10)\b/.test(response ?? '')
      ? { ...refused, suppress: 'hard_bounce', final: true }
      : refused;
  }
  const detail = `The mail server refused the message ${smtp}.`;
  return command === 'DATA'
    ? { kind: 'refused', reason: 'message_refused', detail }
    : { kind: 'refused', reason: 'carrier_misconfigured', detail, rest: true };
}

/**
 * Whether the server deferred the message after RCPT or DATA because the sender or recipient is new. Such a server is healthy.
 */
const isGreylisting = (command: string | undefined, status: number): boolean =>
  command === 'RCPT TO' ? status !== 421 : command === 'DATA' && (status === 450 || status === 451);

/** Why a TLS certificate was rejected, worded to follow "its TLS certificate". Undefined for any other error. */
export function certificateFault(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const text = `${String(code)} ${String(message)}`;
  return FAULTS.find(([pattern]) => pattern.test(text))?.[1];
}

const FAULTS: [RegExp, string][] = [
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'has expired'],
  [/CERT_NOT_YET_VALID|not yet valid/i, 'is not valid yet'],
  [/ALTNAME_INVALID|does not match certificate/i, 'was issued for another host name'],
  [/SELF_SIGNED|self.signed certificate/i, 'is self-signed'],
  [
    /ISSUER|UNABLE_TO_VERIFY|unable to (verify|get)/i,
    'was issued by an authority that this machine does not trust',
  ],
  [/CERT|certificate/, 'is not valid'],
];
