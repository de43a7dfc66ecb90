import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { twilioSignature } from '../../src/messaging/carriers/kinds/twilio/callbacks.ts';
import { freePort } from '../free-ports.ts';
import { Arrivals } from './arrivals.ts';
import { type Behaviour, behaviourOf, slowMs } from './behaviour.ts';
import {
  type Callback,
  type HttpListener,
  type Incoming,
  listen,
  post,
  type Reply,
} from './http-listener.ts';

/**
 * The part of Twilio's REST API that the service uses. It behaves according to the recipient's number (`behaviour.ts`), stores
 * accepted messages, and sends signed callbacks, also late, twice, out of order or forged.
 */
export interface TwilioMessage {
  sid: string;
  kind: 'sms' | 'call';
  to: string;
  /** The sender's number or messaging service. */
  from: string;
  /** The text of an SMS, the TwiML of a call. */
  body: string;
  /** the digits in the text */
  code: string;
  statusCallback: string | undefined;
  params: Record<string, string>;
  idempotencyKey: string | undefined;
}

export interface TwilioFakeOptions {
  accountSid?: string;
  authToken?: string;
  /** Sends a callback: over the network unless a test injects it. */
  send?: (callback: Callback) => Promise<number>;
  port?: number;
}

export interface ReportOptions {
  errorCode?: number;
  /** Signs with another token. */
  forged?: boolean;
  /** The callback URL if the message has none. */
  url?: string;
}

export class TwilioFake implements AsyncDisposable {
  readonly accountSid: string;
  readonly authToken: string;
  readonly #messages = new Arrivals<TwilioMessage>();
  readonly #send: (callback: Callback) => Promise<number>;
  #listener: HttpListener | undefined;
  /** number of requests, accepted or not */
  requests = 0;
  /** The account resource. */
  readonly about = { status: 'active', type: 'Full' };
  /** Overrides the number's behavior while set, such as `'error'` for an outage. */
  everyone: Behaviour | undefined;
  /** When a slow carrier responds, instead of after `slowMs`. */
  slowUntil: Promise<void> | undefined;

  constructor(options: TwilioFakeOptions) {
    this.accountSid = options.accountSid ?? 'AC00000000000000000000000000000000';
    this.authToken = options.authToken ?? 'a fake token';
    this.#send = options.send ?? post;
  }

  async start(port?: number): Promise<this> {
    this.#listener = await listen((request) => this.#receive(request), port ?? (await freePort()));
    return this;
  }

  /** For TWILIO_API_URL. */
  get url(): string {
    if (!this.#listener) throw new Error('The fake Twilio is not running');
    return this.#listener.origin;
  }

  get messages(): readonly TwilioMessage[] {
    return this.#messages.all;
  }

  messagesTo(number: string): TwilioMessage[] {
    return this.messages.filter((message) => message.to === number);
  }

  async waitForMessageTo(number: string): Promise<TwilioMessage> {
    const [message] = await this.#messages.waitFor(1, ({ to }) => to === number);
    if (!message) throw new Error('unreachable');
    return message;
  }

  clear(): void {
    this.#messages.clear();
  }

  /** The status callback for a message (`delivered`, `undelivered`, …) or a call (`completed`, `busy`, …). */
  callback(message: TwilioMessage, status: string, options: ReportOptions = {}): Callback {
    const url = options.url ?? message.statusCallback;
    if (!url) throw new Error('The message names no StatusCallback');
    const about =
      message.kind === 'call'
        ? { CallSid: message.sid, CallStatus: status, Called: message.to }
        : { MessageSid: message.sid, SmsSid: message.sid, MessageStatus: status, SmsStatus: status };
    return this.#signed(
      url,
      {
        AccountSid: this.accountSid,
        ApiVersion: '2010-04-01',
        To: message.to,
        From: message.from,
        ...about,
        ...(options.errorCode === undefined ? {} : { ErrorCode: String(options.errorCode) }),
      },
      options,
    );
  }

  /** Sends the status callback. Returns the service's status code. */
  report(message: TwilioMessage, status: string, options?: ReportOptions): Promise<number> {
    return this.#send(this.callback(message, status, options));
  }

  /** Sends an SMS from a phone to our number, as a callback to `url`. */
  inbound(
    url: string,
    sms: { from: string; body: string; to?: string; OptOutType?: string },
    options: ReportOptions = {},
  ): Callback {
    const to = sms.to ?? '+12025550199';
    const MessageSid = sid('SM');
    const fields = {
      AccountSid: this.accountSid,
      MessageSid,
      From: sms.from,
      To: to,
      Body: sms.body,
      NumMedia: '0',
      ...(sms.OptOutType === undefined ? {} : { OptOutType: sms.OptOutType }),
    };
    return this.#signed(url, fields, options);
  }

  text(
    url: string,
    sms: { from: string; body: string; to?: string },
    options?: ReportOptions,
  ): Promise<number> {
    return this.#send(this.inbound(url, sms, options));
  }

  #signed(url: string, params: Record<string, string>, { forged = false }: ReportOptions): Callback {
    return {
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilioSignature(forged ? 'not the token' : this.authToken, url, params),
      },
      body: new URLSearchParams(params).toString(),
    };
  }

  #receive(request: Incoming): Reply | Promise<Reply> {
    this.requests += 1;
    const [, account, resource] =
      /^\/2010-04-01\/Accounts\/([^/]+)\/(Messages|Calls)\.json$/.exec(request.path) ?? [];
    const basic = `Basic ${Buffer.from(`${this.accountSid}:${this.authToken}`).toString('base64')}`;
    const isAboutAccount = request.path === `/2010-04-01/Accounts/${this.accountSid}.json`;
    if (request.method === 'GET' && isAboutAccount) {
      if (request.headers.authorization !== basic) return refusal(401, 20003);
      return this.everyone ? (refusals[this.everyone] ?? 'reset') : { status: 200, body: this.about };
    }
    if (request.method !== 'POST' || !resource) return refusal(404, 20404);
    if (account !== this.accountSid || request.headers.authorization !== basic) return refusal(401, 20003);

    const params = Object.fromEntries(new URLSearchParams(request.text));
    const missing = missingField(resource, params);
    if (missing) return refusal(400, missing);
    const message = toMessage(resource, params, request.headers['idempotency-key']);
    return this.#treat(message, this.everyone ?? behaviourOf(message.to));
  }

  async #treat(message: TwilioMessage, behaviour: Behaviour): Promise<Reply> {
    const refused = refusals[behaviour];
    if (refused) return refused;
    if (behaviour === 'lose') return 'reset';
    this.#messages.push(message);
    if (behaviour === 'hang' || behaviour === 'reset') return behaviour;
    if (behaviour === 'slow' || behaviour === 'late_reset') await (this.slowUntil ?? after(slowMs));
    if (behaviour === 'late_reset') return 'reset';
    if (behaviour === 'echo')
      return { status: 400, body: { code: 21999, message: `Refused: ${message.body}`, ...message.params } };
    const { sid, to } = message;
    return { status: 201, body: { sid, to, status: 'queued', error_code: null, error_message: null } };
  }

  /** Stops listening until `start(port)`. */
  async close(): Promise<void> {
    await this.#listener?.close();
    this.#listener = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function startTwilio(options: TwilioFakeOptions = {}): Promise<TwilioFake> {
  return new TwilioFake(options).start(options.port);
}

const refusals: Partial<Record<Behaviour, Reply>> = {
  unsubscribed: refusal(400, 21610),
  invalid: refusal(400, 21211),
  filtered: refusal(400, 30007),
  refuse: refusal(400, 21999),
  error: refusal(500, 20500),
  limit: refusal(429, 20429),
  unauthorized: refusal(401, 20003),
};

function refusal(status: number, code: number): Reply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message: `Refused with ${code}`, more_info, status } };
}

/** Twilio's own codes for missing fields: 21201/21604 To, 21213/21603 From, 21205 Url or Twiml, 21602 Body. */
function missingField(resource: string, params: Record<string, string>): number | undefined {
  const isCall = resource === 'Calls';
  if (!params.To) return isCall ? 21201 : 21604;
  if (!params.From && (isCall || !params.MessagingServiceSid)) return isCall ? 21213 : 21603;
  if (isCall) return params.Twiml ? undefined : 21205;
  return params.Body ? undefined : 21602;
}

function toMessage(
  resource: string,
  params: Record<string, string>,
  idempotencyKey: string | string[] | undefined,
): TwilioMessage {
  const kind = resource === 'Calls' ? 'call' : 'sms';
  const body = (kind === 'call' ? params.Twiml : params.Body) ?? '';
  return {
    sid: sid(kind === 'call' ? 'CA' : 'SM'),
    kind,
    to: params.To ?? '',
    from: params.From ?? params.MessagingServiceSid ?? '',
    body,
    code: codeIn(kind, body),
    statusCallback: params.StatusCallback,
    params,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
  };
}

/** The first digits of an SMS, or the first digits that a call speaks one by one. */
function codeIn(kind: TwilioMessage['kind'], body: string): string {
  const [found = ''] = (kind === 'call' ? /\d(?:, \d)+/ : /\d{4,8}/).exec(body) ?? [];
  return found.replaceAll(', ', '');
}

function sid(prefix: string): string {
  return prefix + randomBytes(16).toString('hex');
}
