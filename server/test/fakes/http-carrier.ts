import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { Channel } from '@sixdigit/contract/channels.ts';
import { Webhook } from 'standardwebhooks';
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
 * A fake of an operator's HTTP carrier. It checks every signature with the Standard Webhooks library, behaves according to the
 * recipient (`behaviour.ts`), stores accepted messages and sends signed callbacks.
 */
export interface HttpCarrierMessage {
  message_id: string;
  id: string;
  channel: Channel;
  recipient: string;
  text: string;
  code: string;
  subject: string | null;
  sender_name: string | null;
  reply_to: string | null;
  html: string | null;
  expires_at: string;
  status_url: string | null;
  headers: Incoming['headers'];
  arrived_at: Date;
}

export interface HttpCarrierFakeOptions {
  secret?: string;
  /** Sends a callback: over the network unless a test injects it. */
  send?: (callback: Callback) => Promise<number>;
  /** The time in callbacks. A test with a shifted clock passes its shifted time. */
  now?: () => Date;
  port?: number;
}

export class HttpCarrierFake implements AsyncDisposable {
  readonly secret: string;
  readonly #messages = new Arrivals<HttpCarrierMessage>();
  readonly #send: (callback: Callback) => Promise<number>;
  readonly #now: () => Date;
  #listener: HttpListener | undefined;
  requests = 0;
  /** The Retry-After of the response 'limit'. */
  retryAfter = '1';
  /** Overrides the recipient's behavior while set, such as `'error'` for an outage; a function decides per message. */
  everyone: Behaviour | ((message: HttpCarrierMessage) => Behaviour) | undefined;
  /** When a slow carrier responds, instead of after `slowMs`. */
  slowUntil: Promise<void> | undefined;

  constructor(options: HttpCarrierFakeOptions) {
    this.secret =
      options.secret ?? `whsec_${Buffer.from('a fake secret of enough length').toString('base64')}`;
    this.#send = options.send ?? post;
    this.#now = options.now ?? (() => new Date());
  }

  async start(port?: number): Promise<this> {
    this.#listener = await listen((request) => this.#receive(request), port ?? (await freePort()));
    return this;
  }

  /** For HTTP_CARRIER_URL. */
  get url(): string {
    if (!this.#listener) throw new Error('The fake HTTP carrier is not running');
    return `${this.#listener.origin}/send`;
  }

  get messages(): readonly HttpCarrierMessage[] {
    return this.#messages.all;
  }

  messagesTo(recipient: string): HttpCarrierMessage[] {
    return this.messages.filter((message) => message.recipient === recipient);
  }

  async waitForMessageTo(recipient: string): Promise<HttpCarrierMessage> {
    const [message] = await this.#messages.waitFor(1, (arrival) => arrival.recipient === recipient);
    if (!message) throw new Error('unreachable');
    return message;
  }

  clear(): void {
    this.#messages.clear();
  }

  /** A signed callback with any body, for `/carriers/http/status/` and `/carriers/http/inbound/`. */
  callback(url: string, body: unknown, { forged = false } = {}): Callback {
    const text = JSON.stringify(body);
    const id = randomUUID();
    const at = this.#now();
    return {
      url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signer(forged ? 'not the secret' : this.secret).sign(id, at, text),
      },
      body: text,
    };
  }

  /** Sends a delivery report to the message's status URL. Returns the service's status code. */
  report(
    message: HttpCarrierMessage,
    status: 'delivered' | 'undelivered' | 'failed',
    options: { reason?: string; forged?: boolean; url?: string } = {},
  ): Promise<number> {
    const url = options.url ?? message.status_url;
    if (!url) throw new Error('The message names no status_url');
    const { message_id, id: otp_id } = message;
    return this.#send(this.callback(url, { message_id, otp_id, status, reason: options.reason }, options));
  }

  /** An SMS from a phone to the operator's number. */
  text(
    url: string,
    sms: { from: string; text: string },
    options: { forged?: boolean } = {},
  ): Promise<number> {
    return this.#send(this.callback(url, sms, options));
  }

  #receive(request: Incoming): Reply | Promise<Reply> {
    this.requests += 1;
    if (!this.#isSigned(request)) return { status: 401, body: { reason: 'bad_signature' } };
    const body = JSON.parse(request.text) as Omit<
      HttpCarrierMessage,
      'message_id' | 'headers' | 'arrived_at'
    >;
    const message_id = `hc_${randomUUID()}`;
    const message = { ...body, message_id, headers: request.headers, arrived_at: this.#now() };
    const { everyone } = this;
    const chosen = typeof everyone === 'function' ? everyone(message) : everyone;
    return this.#treat(message, chosen ?? behaviourOf(message.recipient));
  }

  /** Accepts any timestamp, because a test may have shifted the clock. */
  #isSigned({ headers, text }: Incoming): boolean {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    const id = String(headers['webhook-id']);
    return headers['webhook-signature'] === signer(this.secret).sign(id, at, text);
  }

  async #treat(message: HttpCarrierMessage, behaviour: Behaviour): Promise<Reply> {
    const refusal = refusals[behaviour];
    const headers: Record<string, string> = behaviour === 'limit' ? { 'retry-after': this.retryAfter } : {};
    if (refusal) return { status: refusal[0], body: { reason: refusal[1] }, headers };
    if (behaviour === 'lose') return 'reset';
    this.#messages.push(message);
    if (behaviour === 'hang' || behaviour === 'reset') return behaviour;
    if (behaviour === 'slow' || behaviour === 'late_reset') await (this.slowUntil ?? after(slowMs));
    if (behaviour === 'late_reset') return 'reset';
    if (behaviour === 'echo') return { status: 400, body: { ...message, reason: `refused_${message.code}` } };
    return { status: 202, body: { message_id: message.message_id } };
  }

  async close(): Promise<void> {
    await this.#listener?.close();
    this.#listener = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function startHttpCarrier(options: HttpCarrierFakeOptions = {}): Promise<HttpCarrierFake> {
  return new HttpCarrierFake(options).start(options.port);
}

const refusals: Partial<Record<Behaviour, [number, string | undefined]>> = {
  unsubscribed: [410, 'unsubscribed'],
  invalid: [422, 'invalid_recipient'],
  filtered: [422, 'policy'],
  refuse: [400, undefined],
  error: [500, undefined],
  limit: [429, 'rate_limited'],
  unauthorized: [401, undefined],
};

function signer(secret: string): Webhook {
  return secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
}
