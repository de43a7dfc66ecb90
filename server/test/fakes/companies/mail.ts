import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Models } from 'postmark';
import type { EmailBouncedEvent, EmailSuppressedEvent, WebhookEventPayload } from 'resend';
import { selfSigned } from '../certificate.ts';
import type { Incoming } from '../http-listener.ts';
import { basic, type Company, json, key, seconds } from './wire.ts';

/** Mail providers, written from their documents, with the types of their clients. */
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
const AT = '2026-11-29T12:00:00.000Z';
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
    about(request) {
      if (request.path !== '/message-streams/codes/suppressions/delete') return undefined;
      const { Suppressions } = json<{ Suppressions: { EmailAddress: string }[] }>(request);
      const refusal = 'You do not have the required authority to change this suppression.';
      const body: Models.SuppressionStatuses = {
        Suppressions: Suppressions.map(({ EmailAddress }) => {
          const isRefused = EmailAddress.startsWith('complained');
          return {
            EmailAddress,
            Status: isRefused ? 'Failed' : 'Deleted',
            Message: isRefused ? refusal : '',
          };
        }),
      };
      return { status: 200, body };
    },
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
    accepted: ({ id, to }) => ({
      status: 200,
      body: { To: to, SubmittedAt: AT, MessageID: id, ErrorCode: 0, Message: 'OK' },
    }),
    refusals: {
      carrier_down: [422, { ErrorCode: 412, Message: 'Account is pending' }],
      retry: [429, { ErrorCode: 429, Message: 'Rate limit exceeded' }],
      suppressed: [
        422,
        {
          ErrorCode: 406,
          Message:
            'You tried to send to recipient(s) that have been marked as inactive.\nFound inactive addresses: x@example.com.',
        },
      ],
    },
    words: {},
    report: () => ({}),
    event({ id, reference }, said) {
      const types: Partial<Record<MailSaid | 'unknown', `${Models.BounceType}`>> = {
        delayed: 'Transient',
        hard_bounce: 'HardBounce',
        soft_bounce: 'SoftBounce',
        blocked: 'Blocked',
        suppressed: 'ManuallyDeactivated',
      };
      const common = {
        MessageID: id,
        Metadata: reference === undefined ? {} : { reference },
        ServerID: 1,
        MessageStream: 'codes',
        Tag: '',
      };
      if (said === 'delivered')
        return {
          ...common,
          RecordType: 'Delivery',
          Recipient: 'x@example.com',
          DeliveredAt: AT,
          Details: 'ok',
        } satisfies Models.DeliveryWebhook;
      const Type = said === 'complaint' ? 'SpamComplaint' : (types[said] ?? 'QuiteNew');
      const bounce = {
        ...common,
        RecordType: 'Bounce',
        ID: 42,
        Type,
        TypeCode: 1,
        Name: Type,
        Description: 'In words',
        Details: WORDS,
        Email: 'x@example.com',
        From: 'no-reply@example.com',
        BouncedAt: AT,
        DumpAvailable: false,
        Inactive: said !== 'soft_bounce',
        CanActivate: true,
        Subject: 'Your Verification Code',
      } satisfies Models.BounceWebhook;
      return said === 'complaint'
        ? ({ ...bounce, RecordType: 'SpamComplaint' } satisfies Models.SpamComplaintWebhook)
        : bounce;
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
      const data = {
        email_id: id,
        message_id: `<${id}@example.com>`,
        created_at: AT,
        from: 'Acme <no-reply@example.com>',
        to: ['x@example.com'],
        subject: 'Your Verification Code',
        ...(reference !== undefined && { tags: { reference } }),
      };
      const types: Partial<Record<MailSaid, WebhookEventPayload['type']>> = {
        delivered: 'email.delivered',
        delayed: 'email.delivery_delayed',
        complaint: 'email.complained',
      };
      const bounces: Partial<Record<MailSaid | 'unknown', EmailBouncedEvent['data']['bounce']>> = {
        hard_bounce: { type: 'Permanent', subType: 'General', message: WORDS },
        soft_bounce: { type: 'Transient', subType: 'MailboxFull', message: WORDS },
        blocked: { type: 'Transient', subType: 'ContentRejected', message: WORDS },
      };
      const bounce = bounces[said];
      if (bounce)
        return {
          type: 'email.bounced',
          created_at: AT,
          data: { ...data, bounce },
        } satisfies EmailBouncedEvent;
      if (said === 'suppressed')
        return {
          type: 'email.suppressed',
          created_at: AT,
          data: { ...data, suppressed: { type: 'OnAccountSuppressionList', message: WORDS } },
        } satisfies EmailSuppressedEvent;
      return { type: (said !== 'unknown' && types[said]) || 'email.quite_new', created_at: AT, data };
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
    about({ method, path }) {
      const [, address = ''] = /^\/v2\/email\/suppression\/addresses\/([^/]+)$/.exec(path) ?? [];
      if (method !== 'DELETE' || !decodeURIComponent(address).includes('@')) return undefined;
      return address.startsWith('absent')
        ? { status: 404, body: { message: 'no' }, headers: { 'x-amzn-errortype': 'NotFoundException' } }
        : { status: 200, body: {} };
    },
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
      carrier_down: [
        400,
        { message: 'no' },
        { 'x-amzn-errortype': 'MailFromDomainNotVerifiedException:http://internal.amazon.com/coral/' },
      ],
      retry: [429, { message: 'slow down' }, { 'x-amzn-errortype': 'TooManyRequestsException' }],
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
        ...(said === 'complaint' && {
          complaint: { complaintSubType: null, complaintFeedbackType: 'abuse' },
        }),
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
