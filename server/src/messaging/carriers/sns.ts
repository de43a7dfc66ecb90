/**
 * Messages of Amazon SNS (docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). Anyone can publish signed messages of a
 * topic of their own, so only those of the configured topic count. Certificates and confirmations come from the hosts of SNS alone.
 */
import { verify, X509Certificate } from 'node:crypto';
import { outboundFetch } from '../../platform/outbound/fetch.ts';
import type { SnsHosts } from './carrier.ts';
import { asObject } from './post.ts';

const CERTIFICATES_MOST = 16;

/** Fetches certificates once. A confirmation is a GET too. */
export function createSnsHosts(): SnsHosts {
  const fetch = outboundFetch({
    allowPrivate: () => false,
    timeoutMs: 5_000,
    connectTimeoutMs: 3_000,
    maxBytes: 64 * 1024,
  });
  const certificates = new Map<string, string>();
  return {
    async get(url) {
      const known = certificates.get(url.href);
      if (known !== undefined) return known;
      const text = await fetch(url.href).then(
        (response) => (response.status === 200 ? response.text() : undefined),
        () => undefined,
      );
      if (text !== undefined && isCertificateAddress(url)) {
        if (certificates.size >= CERTIFICATES_MOST) certificates.clear();
        certificates.set(url.href, text);
      }
      return text;
    },
  };
}

const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
} as const;
const HASHES: Record<string, string> = { 1: 'sha1', 2: 'sha256' };
const OLDEST_MS = 60 * 60_000;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `eu-central-1` of an ARN. */
const regionOf = (topic: string): string | undefined =>
  /^arn:aws:sns:([a-z0-9-]+):\d{12}:[\w.-]{1,256}$/.exec(topic)?.[1];

export const isTopic = (topic: string): boolean => regionOf(topic) !== undefined;

function hostUrl(text: string | undefined, topic: string): URL | undefined {
  const url = URL.parse(text ?? '');
  const isOfSns = url?.protocol === 'https:' && url.host === `sns.${regionOf(topic)}.amazonaws.com`;
  return url && isOfSns && url.username === '' && url.password === '' ? url : undefined;
}

const isCertificateAddress = ({ pathname, search }: URL): boolean =>
  /^\/SimpleNotificationService-[\w-]{1,80}\.pem$/.test(pathname) && search === '';

interface Received {
  topic: string;
  now: Date;
  sns: SnsHosts;
}

/** Whether SNS signed the message for this topic, within the last hour. */
export async function isOfTopic(body: unknown, { topic, now, sns }: Received): Promise<boolean> {
  const message = asObject(body) ?? {};
  const names = SIGNED[textOf(message.Type) as keyof typeof SIGNED];
  const hash = HASHES[textOf(message.SignatureVersion) ?? ''];
  const sentMs = Date.parse(textOf(message.Timestamp) ?? '');
  if (!names || !hash || !isTopic(topic) || message.TopicArn !== topic) return false;
  if (!(Math.abs(now.getTime() - sentMs) <= OLDEST_MS)) return false;
  const url = hostUrl(textOf(message.SigningCertURL), topic);
  const certificate = url && isCertificateAddress(url) ? await sns.get(url) : undefined;
  if (certificate === undefined) return false;
  const signed = names
    .flatMap((name) => {
      const value = textOf(message[name]);
      return value === undefined ? [] : [`${name}\n${value}\n`];
    })
    .join('');
  try {
    const { publicKey } = new X509Certificate(certificate);
    const signature = Buffer.from(textOf(message.Signature) ?? '', 'base64');
    return verify(hash, Buffer.from(signed), publicKey, signature);
  } catch {
    return false;
  }
}

/** The address that confirms a subscription; undefined for every other message. Check the signature first. */
export function confirmationOf(body: unknown, topic: string): URL | undefined {
  const message = asObject(body) ?? {};
  return message.Type === 'SubscriptionConfirmation'
    ? hostUrl(textOf(message.SubscribeURL), topic)
    : undefined;
}
