import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '@sixdigit/contract/channels.ts';
import type { SendReply } from '@sixdigit/contract/otp.ts';
import type { Needs } from '../platform/platform.ts';
import { equalSecrets } from '../platform/security/vault.ts';

/** A request of a system, as received. */
export interface Inbound {
  connection_id: string;
  kind: Channel;
  headers: IncomingHttpHeaders;
  /** the bytes that a signature covers */
  bytes: Buffer;
  text: string;
  /** the parameters of the path */
  params: Readonly<Record<string, string>>;
  code_pattern: string | null;
  now: Date;
}

/** A message that a request asks for: the body of `POST /otp/send/`, not yet validated. */
export interface Wanted {
  recipient: unknown;
  code: unknown;
  message?: string | undefined;
  /** the tag of the person's language */
  locale?: string | undefined;
  client_ip?: string | undefined;
  expires_in?: unknown;
  /** the channel, if the request names another than its address */
  channel?: unknown;
  /** the system's id of the message, the same in all of its attempts */
  message_id?: string | undefined;
}

export interface Refusal {
  status: number;
  reason: string;
  /** for the person who signs in */
  sentence: string;
  retry_after: number | undefined;
  /** field errors and further facts, for programs */
  body: object;
}

export interface Answer {
  status: number;
  type: 'application/json' | 'text/plain';
  body: string;
  headers?: Record<string, string>;
}

/** What a request of the system looks like, for the test of a connection. */
export interface Played {
  /** appended to the endpoint's URL */
  path?: string;
  headers: Record<string, string>;
  body: string;
}

export interface Play {
  kind: Channel;
  recipient: string;
  code: string;
  secret: string;
  connection_id: string;
  now: Date;
  random: Needs<'random'>['random'];
}

/** How one system asks for messages. */
export interface System {
  /** the kinds of endpoints, the usual one first */
  kinds: readonly Channel[];
  newSecret(app: Needs<'random'>): string;
  /** Whether the secret could have signed or accompanied the request. Compares in constant time. */
  isFrom(request: Inbound, secret: string): boolean;
  /** The wanted messages. Throws field errors, `malformed_json` or `code_missing`. */
  read(request: Inbound): Wanted[];
  accepted(sends: readonly SendReply[], request: Inbound): Answer;
  refused(refusal: Refusal): Answer;
  /** What to enter in the system. */
  settings(given: SettingsOf): { name: string; value: string }[];
  play(given: Play): Played;
}

export interface SettingsOf {
  connection_id: string;
  secret: string;
  urlOf(kind: Channel): string;
}

export const json = (status: number, body: unknown): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

/** For systems that show nobody the response: all facts, in our own form. */
export const refusedInJson = ({ status, body }: Refusal): Answer => json(status, body);

const equalTexts = (one: string, other: string): boolean =>
  equalSecrets(Buffer.from(one), Buffer.from(other));

/** The user and the password of a Basic header; undefined for any other header. */
export function basicOf(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * Whether the request carries the secret as a Basic password, as a bearer token, or verbatim in `Authorization` or one of these
 * headers.
 */
export function carriesSecret(
  { headers }: Pick<Inbound, 'headers'>,
  secret: string,
  names: readonly string[] = ['x-api-key'],
): boolean {
  const given = headers.authorization;
  const texts = [
    given,
    /^bearer +(\S+)$/i.exec(given ?? '')?.[1],
    basicOf(given)?.password,
    ...names.map((name) => headers[name]),
  ];
  // Compares each, so that the time tells nothing about which one is present.
  return texts.filter((text) => typeof text === 'string' && equalTexts(text, secret)).length > 0;
}

/** A random secret for systems that send it as text: 40 characters without ambiguity in headers and forms. */
export const textSecret = ({ random }: Needs<'random'>): string => random.bytes(20).toString('hex');
