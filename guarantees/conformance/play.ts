import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { differenceFrom, type Expectation } from './expectation.ts';
import { NoResponse, type Request, type Response, type Sending, send } from './http.ts';
import { filled, filledDeep, type Values } from './placeholders.ts';
import { newCode, type Recipients } from './recipients.ts';
import type { SystemSettings } from './settings.ts';
import { signatureOf } from './signing.ts';
import type { RequestFormat, Version } from './systems.ts';

/** A check that did not pass. The message is a sentence. */
export class Failed extends Error {}

/** A message that a system wants sent, the same in all of its attempts. */
export type Message = Values;

export interface Change {
  secrets?: string[];
  /** before the request is signed */
  json?: (body: unknown) => unknown;
  form?: Record<string, string>;
  body?: string;
  headers?: Record<string, string>;
  /** after the request is signed */
  tamper?: (request: Request) => Request;
  at?: Date;
  /** the moment that the header of a signed request states, if it differs */
  statedAt?: Date;
  how?: Omit<Sending, 'timeoutMs'>;
  /** at once, although other requests have just begun */
  atOnce?: boolean;
}

/** A version or a step of a flow. */
type Playable = RequestFormat & Pick<Version, 'kind' | 'sign'>;

/** The requests of one system to one implementation. */
export interface Player {
  settings: SystemSettings;
  timeoutMs: number;
  newMessage(version: Pick<Version, 'kind'>): Message;
  /** Sends a request. Throws Failed if there is no response. */
  post(version: Playable, message: Message, change?: Change): Promise<Response>;
  /** Sends a request and closes the connection at once. */
  abandon(version: Playable, message: Message): Promise<void>;
  slowestMs: number;
}

export function playerOf(
  settings: SystemSettings,
  { recipients, perSecond }: { recipients: Recipients; perSecond: number },
): Player {
  const timeoutMs = settings.system.gives_up_after_seconds * 1000;
  let next = performance.now();
  /** Requests begin at an even rate, so that a limit of requests per second is not what is tested. */
  const turn = async () => {
    const at = Math.max(next, performance.now());
    next = at + 1000 / perSecond;
    await after(Math.max(0, at - performance.now()));
  };
  const player: Player = {
    settings,
    timeoutMs,
    slowestMs: 0,
    newMessage: ({ kind }) => newMessage(recipients, kind === 'email' ? 'email' : 'phone'),
    async post(version, message, change = {}) {
      if (!change.atOnce) await turn();
      try {
        const response = await send(requestOf(settings, version, message, change), {
          timeoutMs,
          ...change.how,
        });
        if (!change.how?.inParts) player.slowestMs = Math.max(player.slowestMs, response.milliseconds);
        return response;
      } catch (error) {
        if (error instanceof NoResponse) throw new Failed(error.message);
        throw error;
      }
    },
    async abandon(version, message) {
      await turn();
      const request = requestOf(settings, version, message, {});
      await send(request, { timeoutMs, withoutWaiting: true });
    },
  };
  return player;
}

function newMessage(recipients: Recipients, kind: 'phone' | 'email'): Message {
  const [recipient, other] = [recipients[kind](), recipients[kind]()];
  const code = newCode();
  let otherCode = newCode();
  while (otherCode === code) otherCode = newCode();
  return {
    recipient,
    digits: recipient.replace(/^\+/, ''),
    other_recipient: other,
    other_digits: other.replace(/^\+/, ''),
    code,
    other_code: otherCode,
    message_uuid: randomUUID(),
    code_in_braces: '{code}',
  };
}

/** The values of one attempt. */
function valuesOf({ secret, values }: SystemSettings, message: Message, at: Date): Values {
  return {
    ...values,
    attempt_uuid: randomUUID(),
    seconds: String(Math.floor(at.getTime() / 1000)),
    time: at.toISOString(),
    ...message,
    secret: message.secret ?? secret,
  };
}

function requestOf(settings: SystemSettings, version: Playable, message: Message, change: Change): Request {
  const { system, addresses, secret } = settings;
  const { at = new Date() } = change;
  const secrets = change.secrets ?? [secret];
  const values = { ...valuesOf(settings, message, at), secret: secrets.at(-1) ?? '' };
  const body = Buffer.from(change.body ?? bodyOf(version, values, change));
  const sign = version.sign ?? system.sign;
  const signed = sign
    ? signatureOf(sign, {
        body,
        secrets,
        at,
        statedAt: change.statedAt ?? at,
        id: sign.scheme === 'standard-webhooks' ? filled(sign.id, values) : '',
      })
    : {};
  const given = filledDeep({ ...system.headers, ...version.headers }, values);
  const request: Request = {
    method: version.method ?? 'POST',
    url: `${addresses[version.kind]}${filled(version.path ?? '', values)}`,
    // An empty value takes a header away.
    headers: Object.fromEntries(
      Object.entries({ ...given, ...signed, ...change.headers }).filter(([, value]) => value !== ''),
    ),
    body,
  };
  return change.tamper ? change.tamper(request) : request;
}

function bodyOf({ json, form, text }: RequestFormat, values: Values, change: Change): string {
  if (form) return new URLSearchParams({ ...filledDeep(form, values), ...change.form }).toString();
  if (json) {
    const body = filledDeep(json, values);
    return JSON.stringify(change.json ? change.json(body) : body);
  }
  return text === undefined ? '' : filled(text, values);
}

/** Throws Failed, with a name of the request before the difference. */
export function expectResponse(
  what: string,
  expected: readonly Expectation[],
  response: Response,
  values: Values,
): void {
  const difference = differenceFrom(filledDeep([...expected], values), response);
  if (difference) throw new Failed(`${what}: ${difference}`);
}
