import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import {
  automaticReply,
  type BouncedTo,
  complaintMail,
  statusMail,
} from '../../server/test/fakes/bounces.ts';

export interface Kind {
  /** the local part of the recipients before a `+` */
  name: string;
  /** what the mail server replies to RCPT or DATA */
  refuses?: { at: 'RCPT' | 'DATA'; code: number; text: string };
  /** the mails that the mail server sends to the envelope sender after it accepted the message */
  sends?(to: BouncedTo): { from: string; to?: string; raw: string }[];
  status: 'sent' | 'failed';
  /** how the last line of the history begins */
  note: RegExp;
  isSuppressed?: boolean;
}

const DAEMON = '';
const from = (raw: string, sender = DAEMON) => [{ from: sender, raw }];

/** Every kind of answer of a mail server, with what Sixdigit shows. */
export const KINDS: readonly Kind[] = [
  { name: 'accepted', status: 'sent', note: /^Accepted by smtp$/ },
  {
    name: 'nobody',
    refuses: { at: 'RCPT', code: 550, text: '5.1.1 No such mailbox' },
    status: 'failed',
    note: /^Bounced, so the address is suppressed: .*5\.1\.1/,
    isSuppressed: true,
  },
  {
    name: 'full',
    refuses: { at: 'RCPT', code: 552, text: '5.2.2 Mailbox full' },
    status: 'failed',
    note: /^Bounced: .*5\.2\.2/,
  },
  {
    name: 'spam',
    refuses: { at: 'DATA', code: 554, text: '5.7.1 Looks like spam' },
    status: 'failed',
    note: /^Blocked by the mail server: .*5\.7\.1/,
  },
  {
    name: 'busy',
    refuses: { at: 'RCPT', code: 451, text: '4.3.2 Not now' },
    status: 'failed',
    note: /^Bounced: .*4\.3\.2/,
  },
  {
    name: 'later',
    sends: (to) => from(statusMail(to)),
    status: 'failed',
    note: /^Bounced, so the address is suppressed/,
    isSuppressed: true,
  },
  {
    name: 'complains',
    sends: (to) => from(complaintMail(to), 'complaints@provider.example'),
    status: 'sent',
    note: /^Reported as spam/,
    isSuppressed: true,
  },
  {
    name: 'away',
    sends: (to) => from(automaticReply(to), to.recipient),
    status: 'sent',
    note: /^Accepted by smtp$/,
  },
  {
    name: 'forged',
    sends: ({ to, recipient }) => {
      const other = to.replace(/[0-9a-f]{24}@/, `${'0'.repeat(24)}@`);
      return [{ from: DAEMON, to: other, raw: statusMail({ to: other, recipient }) }];
    },
    status: 'sent',
    note: /^Accepted by smtp$/,
  },
  {
    name: 'huge',
    sends: (to) => [
      // Over the limit of the mail server, which refuses it.
      { from: DAEMON, raw: statusMail(to, {}, ['x'.repeat(20 * 1024 * 1024).replace(/.{900}/g, '$&\r\n')]) },
      {
        from: DAEMON,
        raw: statusMail(to, { status: '5.2.3' }, ['x'.repeat(3_000_000).replace(/.{900}/g, '$&\r\n')]),
      },
    ],
    status: 'failed',
    note: /^Bounced: 5\.2\.3/,
  },
];

export interface Receiver {
  port: number;
  /** the recipients of accepted mails */
  accepted: string[];
  /** replies of Postfix that refused a mail of the receiver */
  refused: string[];
}

/** The mail server of all recipients. It sends its own mails through the Postfix on `postfixPort`. */
export async function startReceiver(cleanup: AsyncDisposableStack, postfixPort: number): Promise<Receiver> {
  const sender = createTransport({ host: '127.0.0.1', port: postfixPort, secure: false, ignoreTLS: true });
  const receiver: Receiver = { port: 0, accepted: [], refused: [] };
  const kindOf = (address: string) => KINDS.find(({ name }) => address.startsWith(`${name}+`));
  const refusal = (address: string, at: 'RCPT' | 'DATA'): Error | null => {
    const refuses = kindOf(address)?.refuses;
    return refuses?.at === at ? Object.assign(new Error(refuses.text), { responseCode: refuses.code }) : null;
  };
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onRcptTo: ({ address }, _session, done) => done(refusal(address, 'RCPT')),
    onData(stream, { envelope }, done) {
      stream.resume();
      stream.once('end', () => {
        const recipient = envelope.rcptTo[0]?.address ?? '';
        const refused = refusal(recipient, 'DATA');
        if (!refused) receiver.accepted.push(recipient);
        done(refused);
        const to = envelope.mailFrom ? envelope.mailFrom.address : '';
        for (const mail of kindOf(recipient)?.sends?.({ to, recipient }) ?? [])
          sender
            .sendMail({ envelope: { from: mail.from, to: mail.to ?? to }, raw: mail.raw })
            .catch((error: { response?: string }) => receiver.refused.push(String(error.response)));
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  receiver.port = (server.server.address() as AddressInfo).port;
  cleanup.defer(async () => {
    sender.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(resolve);
    await promise;
  });
  return receiver;
}
