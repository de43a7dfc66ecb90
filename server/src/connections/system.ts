import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '@sixdigit/contract/channels.ts';
import type { SendReply } from '@sixdigit/contract/otp.ts';
import { API_BASE, CONNECTIONS_PATH } from '@sixdigit/contract/route.ts';
import type { Written } from '../platform/http/answer.ts';
import type { Needs } from '../platform/platform.ts';
import { equalSecrets } from '../platform/security/vault.ts';
import type { readSecret } from '../platform/signing/standard-webhooks.ts';

/** A request of a system before its body is read. */
export interface Head {
  connection_id: string;
  kind: Channel;
  headers: IncomingHttpHeaders;
  /** the parameters of the path */
  params: Readonly<Record<string, string>>;
}

/** A request of a system, as received. */
export interface Inbound extends Head {
  /** the bytes that a signature covers */
  bytes: Buffer;
  text: string;
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

export type Answer = Required<Omit<Written, 'headers'>> & Pick<Written, 'headers'>;

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

/** How one system asks for messages. It has at least one of `isFromHead` and `isFromBody`. */
export interface System {
  /** the kinds of endpoints, the usual one first */
  kinds: readonly Channel[];
  /** The path that the system appends to the address of a connection. Without it, the addresses end with their kind. */
  appends?: `/${string}`;
  newSecret(app: Needs<'random'>): string;
  /** Reads a secret that a person has entered: what is stored, or the end of a sentence that begins with "Secret". */
  readSecret(given: string): ReadSecret;
  /** Whether the path and the headers contain one of the secrets. Compared before the body is read. Never throws. */
  isFromHead?(head: Head, secrets: readonly string[]): boolean;
  /**
   * Whether the body contains one of the secrets or is signed with one. Strangers can call it, so it takes linear time, reads the
   * body once for all secrets, and never throws.
   */
  isFromBody?(request: Inbound, secrets: readonly string[]): boolean;
  /** The wanted messages. Takes linear time. Throws field errors, `malformed_json` or `code_missing`. */
  read(request: Inbound): Wanted[];
  accepted(sends: readonly SendReply[], request: Inbound): Answer;
  refused(refusal: Refusal): Answer;
  /** What to enter in the system. */
  settings(given: SettingsOf): { name: string; value: string }[];
  play(given: Play): Played;
}

/** The path of an endpoint, after the base of the API. */
export const pathTo = ({ appends }: System, id: string, kind: string): string =>
  `${CONNECTIONS_PATH}${id}${appends ? '' : `/${kind}`}`;

/** The route of a system's requests. */
export const routeOf = (system: System): string =>
  `${API_BASE}${pathTo(system, ':id', ':kind')}${system.appends ?? ''}`;

export type ReadSecret = ReturnType<typeof readSecret>;

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

export const equalTexts = (one: string, other: string): boolean =>
  equalSecrets(Buffer.from(one), Buffer.from(other));

/** Tries every secret, so that the time does not tell which of them is right. */
export const anyOf = (secrets: readonly string[], isRight: (secret: string) => boolean): boolean =>
  secrets.filter(isRight).length > 0;

/** The user and the password of a Basic header; undefined for any other header. */
export function basicOf(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * Whether the request carries one of the secrets as a Basic password, as a bearer token, or verbatim in `Authorization` or one of
 * these headers.
 */
export function carriesSecret(
  { headers }: Pick<Head, 'headers'>,
  secrets: readonly string[],
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
  return anyOf(
    secrets,
    (secret) => texts.filter((text) => typeof text === 'string' && equalTexts(text, secret)).length > 0,
  );
}

/** One key or two, of printable ASCII characters without the comma. */
const TEXT_SECRET = /^[!-+\--~]{16,}(?:, *[!-+\--~]{16,})?$/;

/** Reads a secret that is compared or used as it stands. */
export function readTextSecret(given: string): ReadSecret {
  const secret = given.trim();
  return TEXT_SECRET.test(secret)
    ? { secret }
    : {
        problem:
          'must have 16 to 200 visible characters. Separate two keys, of at least 16 each, with a comma',
      };
}

/** A random secret for systems that send it as text: 40 characters without ambiguity in headers and forms. */
export const textSecret = ({ random }: Needs<'random'>): string => random.bytes(20).toString('hex');

/** For systems that send the secret as text in a header. */
export const secretInHead: Pick<System, 'newSecret' | 'readSecret' | 'isFromHead'> = {
  newSecret: textSecret,
  readSecret: readTextSecret,
  isFromHead: (head, secrets) => carriesSecret(head, secrets),
};
