import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { selfSigned } from '../certificate.ts';
import type { Incoming } from '../http-listener.ts';
import { basic, type Company, json, key, seconds } from './wire.ts';

/** Mail providers, written from their documents and clients. */
export type MailSaid =
  | 'delivered'
  | 'delayed'
  | 'hard_bounce'
  | 'soft_bounce'
  | 'blocked'
  | 'complaint'
  | 'suppressed';

export interface MailCompany extends Company {
  /** The body of an event. */
  event(message: { id: string; reference?: string | undefined }, said: MailSaid | 'unknown'): unknown;
  /** The responses of hosts besides the API's. */
  hosts?(url: URL): string | undefined;
}

interface PostmarkBody {
  From: string;
  To: string;
  TextBody: string;
  MessageStream: string;
  Metadata: { reference: string };
  Headers: { Name: string }[];
}
interface ResendBody {
  from: string;
  to: string[];
  text: string;
  tags?: { name: string; value: string }[];
}
interface SesBody {
  FromEmailAddress: string;
  Destination: { ToAddresses: string[] };
  Content: { Simple: { Body: { Text: { Data: string }; Html: { Data: string } } } };
  EmailTags: { Name: string; Value: string }[];
  ConfigurationSetName: string;
}

const must = (isRight: boolean, what: string): void => {
  if (!isRight) throw new Error(what);
};
const WORDS = 'smtp;550 5.1.1 <someone@example.com> unknown, ref 1234567';

const SVIX_SECRET = Buffer.from('the secret of the webhook');
export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:otp-mail';
export const CERTIFICATE_URL =
  'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
const snsKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const snsCertificate = selfSigned(['sns.amazonaws.com'], snsKeys.publicKey).cert;

/** A message of SNS, signed. */
export function snsMessage(
  fields: Record<string, string>,
  at: Date,
  privateKey: KeyObject = snsKeys.privateKey,
) {
  const message: Record<string, string> = {
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: TOPIC,
    Timestamp: at.toISOString(),
    SignatureVersion: '2',
    SigningCertURL: CERTIFICATE_URL,
    ...fields,
  };
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names
    .map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`))
    .join('');
  const hash = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
  return { ...message, Signature: sign(hash, Buffer.from(text), privateKey).toString('base64') };
}

export const MAIL_COMPANIES: readonly MailCompany[] = [
  {
    kind: 'postmark',
    fields: {
      api_key: 'postmark-server-token',
      from: 'Acme <no-reply@example.com>',
      stream: 'codes',
      username: 'hooks',
      password: 'postmark-hook-password',
    },
    path: /^\/email$/,
    isAuthorized: (headers) => headers['x-postmark-server-token'] === 'postmark-server-token',
    read(request) {
      const { From, To, TextBody, MessageStream, Metadata, Headers } = json<PostmarkBody>(request);
      must(MessageStream === 'codes' && From.includes('<no-reply@example.com>'), 'Not as set up');
      must(
        Headers.some(({ Name }) => Name === 'X-Entity-Ref-ID'),
        'No headers',
      );
      must((Metadata.reference ?? '').length <= 80, 'Metadata too long');
      return { to: To, text: TextBody, reference: Metadata.reference };
    },
    accepted: ({ id, to }) => ({ status: 200, body: { To: to, MessageID: id, ErrorCode: 0, Message: 'OK' } }),
    refusals: {
      carrier_down: [422, { ErrorCode: 412, Message: 'Account is pending' }],
      retry: [429, { ErrorCode: 429, Message: 'Rate limit exceeded' }],
      suppressed: [422, { ErrorCode: 406, Message: 'You tried to send to an inactive recipient.' }],
    },
    words: {},
    report: () => ({}),
    event({ id, reference }, said) {
      const types: Record<string, string> = {
        delayed: 'Transient',
        hard_bounce: 'HardBounce',
        soft_bounce: 'SoftBounce',
        blocked: 'Blocked',
        suppressed: 'ManuallyDeactivated',
      };
      const common = { MessageID: id, Metadata: { reference }, ServerID: 1, Tag: '' };
      if (said === 'delivered')
        return { ...common, RecordType: 'Delivery', Recipient: 'x@example.com', Details: 'ok' };
      if (said === 'complaint')
        return { ...common, RecordType: 'SpamComplaint', Type: 'SpamComplaint', Details: WORDS };
      return { ...common, RecordType: 'Bounce', Type: types[said] ?? 'QuiteNew', ID: 42, Details: WORDS };
    },
    sign: ({ forged }) => ({ authorization: basic(`hooks:${key(forged, 'postmark-hook-password')}`) }),
  },
  {
    kind: 'resend',
    fields: {
      api_key: 're_resend-api-key',
      from: 'Acme <no-reply@example.com>',
      signing_key: `whsec_${SVIX_SECRET.toString('base64')}`,
    },
    path: /^\/emails$/,
    isAuthorized: (headers) => headers.authorization === 'Bearer re_resend-api-key',
    read(request: Incoming) {
      const { from, to, text, tags } = json<ResendBody>(request);
      must(from.includes('<no-reply@example.com>') && to.length === 1, 'Not as set up');
      must((request.headers['idempotency-key'] ?? '') !== '', 'No Idempotency-Key');
      must(
        (tags ?? []).every(({ value }) => /^[\w-]{1,256}$/.test(value)),
        'A tag is not valid',
      );
      return { to: to[0] ?? '', text, reference: tags?.[0]?.value };
    },
    accepted: ({ id }) => ({ status: 200, body: { id } }),
    refusals: {
      carrier_down: [401, { statusCode: 401, name: 'missing_api_key', message: 'Missing API key' }],
      retry: [429, { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests' }],
    },
    words: {},
    report: () => ({}),
    event({ id, reference }, said) {
      const types: Record<string, string> = {
        delivered: 'email.delivered',
        delayed: 'email.delivery_delayed',
        complaint: 'email.complained',
        suppressed: 'email.suppressed',
        unknown: 'email.quite_new',
      };
      const bounces: Record<string, object> = {
        hard_bounce: { type: 'Permanent', subType: 'General', message: WORDS },
        soft_bounce: { type: 'Transient', subType: 'MailboxFull', message: WORDS },
        blocked: { type: 'Transient', subType: 'ContentRejected', message: WORDS },
      };
      const bounce = bounces[said];
      return {
        type: types[said] ?? 'email.bounced',
        created_at: '2026-11-29T12:00:00.000Z',
        data: {
          email_id: id,
          to: ['x@example.com'],
          tags: { reference },
          ...(bounce && { bounce }),
          ...(said === 'suppressed' && { suppressed: { type: 'OnAccountSuppressionList', message: WORDS } }),
        },
      };
    },
    sign({ body, at, forged }) {
      const id = 'msg_1';
      const secret = forged ? Buffer.from('another secret of the webhook') : SVIX_SECRET;
      const mac = createHmac('sha256', secret)
        .update(`${id}.${seconds(at)}.${body}`)
        .digest('base64');
      return { 'svix-id': id, 'svix-timestamp': seconds(at), 'svix-signature': `v1,${mac}` };
    },
  },
  {
    kind: 'ses',
    fields: {
      access_key_id: 'AKIAEXAMPLE',
      secret_access_key: 'ses-secret-access-key',
      region: 'eu-central-1',
      from: 'Zoë’s shop <no-reply@example.com>',
      configuration_set: 'otp',
      topic_arn: TOPIC,
    },
    path: /^\/v2\/email\/outbound-emails$/,
    isAuthorized: (headers) =>
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/ses\/aws4_request, SignedHeaders=/.test(
        headers.authorization ?? '',
      ),
    read(request) {
      const { FromEmailAddress, Destination, Content, EmailTags, ConfigurationSetName } =
        json<SesBody>(request);
      must(/^[\x20-\x7e]*<no-reply@example\.com>$/.test(FromEmailAddress), 'The sender is not ASCII');
      must(ConfigurationSetName === 'otp' && Content.Simple.Body.Html.Data !== '', 'Not as set up');
      must(
        EmailTags.every(({ Value }) => /^[\w-]{1,256}$/.test(Value)),
        'A tag is not valid',
      );
      return {
        to: Destination.ToAddresses[0] ?? '',
        text: Content.Simple.Body.Text.Data,
        reference: EmailTags[0]?.Value,
      };
    },
    accepted: ({ id }) => ({ status: 200, body: { MessageId: id } }),
    refusals: {
      carrier_down: [400, { __type: 'MailFromDomainNotVerifiedException', message: 'no' }],
      retry: [429, { __type: 'TooManyRequestsException', message: 'slow down' }],
    },
    words: {},
    report: () => ({}),
    event({ id, reference }, said) {
      const bounces: Record<string, [string, string]> = {
        hard_bounce: ['Permanent', 'General'],
        soft_bounce: ['Transient', 'MailboxFull'],
        blocked: ['Transient', 'ContentRejected'],
        suppressed: ['Permanent', 'OnAccountSuppressionList'],
      };
      const types: Record<string, string> = {
        delivered: 'Delivery',
        delayed: 'DeliveryDelay',
        complaint: 'Complaint',
        unknown: 'QuiteNew',
      };
      const [bounceType, bounceSubType] = bounces[said] ?? [];
      const words = [{ emailAddress: 'x@example.com', diagnosticCode: WORDS }];
      return {
        eventType: types[said] ?? 'Bounce',
        mail: { messageId: id, tags: { reference: [reference], 'ses:configuration-set': ['otp'] } },
        ...(bounceType && { bounce: { bounceType, bounceSubType, bouncedRecipients: words } }),
        ...(said === 'delayed' && { deliveryDelay: { delayType: 'MailboxFull', delayedRecipients: words } }),
        ...(said === 'complaint' && { complaint: { complaintFeedbackType: 'abuse' } }),
      };
    },
    hosts: ({ href }) => (href === CERTIFICATE_URL ? snsCertificate : undefined),
    seal: (content, { at, forged }) =>
      snsMessage(
        { Message: JSON.stringify(content) },
        at,
        forged ? otherKeys.privateKey : snsKeys.privateKey,
      ),
    sign: () => ({ 'content-type': 'text/plain; charset=UTF-8' }),
  },
];
