/** Mails that mail servers send to the sender of a message. */
export interface BouncedTo {
  /** the bounce address */
  to: string;
  /** the address that was refused */
  recipient: string;
}

interface Said {
  action?: string;
  status?: string;
  words?: string;
}

const CRLF = '\r\n';
const mailOf = (head: readonly string[], ...body: string[]): string => [...head, '', ...body].join(CRLF);
const part = (type: string, ...lines: string[]) => ['--b1', `Content-Type: ${type}`, '', ...lines, ''];

/** A delivery status notification (RFC 3464), in the form of Postfix. */
export const statusMail = (
  { to, recipient }: BouncedTo,
  { action = 'failed', status = '5.1.1', words = '550 5.1.1 No such mailbox' }: Said = {},
  quoted: readonly string[] = ['Subject: Your code', `To: ${recipient}`],
): string =>
  mailOf(
    [
      'Return-Path: <>',
      'From: MAILER-DAEMON@mx.example.com (Mail Delivery System)',
      `To: ${to}`,
      'Subject: Undelivered Mail Returned to Sender',
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status;',
      '\tboundary="b1"',
    ],
    ...part('text/plain; charset=us-ascii', 'I am sorry to have to inform you …'),
    ...part(
      'message/delivery-status',
      'Reporting-MTA: dns; mx.example.com',
      'X-Postfix-Queue-ID: 4ABCD',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      `Original-Recipient: rfc822;${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${words}`,
    ),
    ...part('message/rfc822', ...quoted),
    '--b1--',
    '',
  );

/** A complaint in the Abuse Reporting Format (RFC 5965). */
export const complaintMail = (
  { to, recipient }: BouncedTo,
  { type = 'abuse', sender = to }: { type?: string; sender?: string } = {},
): string =>
  mailOf(
    [
      'From: complaints@provider.example',
      `To: ${to}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="b1"',
    ],
    ...part('text/plain', 'This is an email abuse report.'),
    ...part(
      'message/feedback-report',
      `Feedback-Type: ${type}`,
      'User-Agent: Provider/1.0',
      `Original-Mail-From: <${sender}>`,
      `Original-Rcpt-To: <${recipient}>`,
    ),
    ...part('message/rfc822', 'Subject: Your code'),
    '--b1--',
    '',
  );

/** An out-of-office reply. */
export const automaticReply = ({ to, recipient }: BouncedTo): string =>
  mailOf(
    [`From: ${recipient}`, `To: ${to}`, 'Subject: Out of office', 'Auto-Submitted: auto-replied'],
    'I am on vacation. 550 5.1.1 is only a text here.',
  );
