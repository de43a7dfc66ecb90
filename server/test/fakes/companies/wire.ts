import { createHmac } from 'node:crypto';
import type { Channel } from '@sixdigit/contract/channels.ts';
import type { CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Incoming, Reply } from '../http-listener.ts';

/**
 * The wire formats of message companies, written from their documents and not from our records. A fake accepts only requests with the
 * right credentials and fields, and makes the reports that the company would send.
 */
export interface TakenMessage {
  to: string;
  text: string;
  id: string;
  /** what the company returns in reports */
  reference?: string | undefined;
  report_url?: string | undefined;
  /** the life in seconds that the company was asked for */
  seconds?: number | undefined;
}

export type Said = 'sent' | 'delivered' | 'failed' | 'opted_out';
/** A callback without its address. */
export interface Signed {
  headers: Record<string, string>;
  body: string;
}

export interface Company {
  kind: CarrierKind;
  /** sms unless given */
  channel?: Channel;
  /** the values that an operator enters */
  fields: Record<string, string>;
  path: RegExp;
  isAuthorized(headers: Incoming['headers']): boolean;
  read(request: Incoming): Omit<TakenMessage, 'id'> & { id?: string };
  /** The response to a request that is not a message. */
  about?(request: Incoming): Reply | Promise<Reply> | undefined;
  accepted(message: TakenMessage): { status: number; body: unknown };
  /** The body of a refusal, by its meaning; undefined if the company has no such code. */
  refusals: Partial<
    Record<
      'opted_out' | 'permanent' | 'suppressed' | 'retry' | 'carrier_down',
      [status: number, body: unknown, headers?: Record<string, string>]
    >
  >;
  /** The status word for each meaning. */
  words: Partial<Record<Said, string>>;
  report(message: TakenMessage, word: string, meaning: Said | undefined): unknown;
  /** Several reports in one request. */
  batch?(reports: unknown[]): unknown;
  isForm?: true;
  /** Signs within the body. */
  seal?(content: unknown, signing: { at: Date; forged: boolean }): unknown;
  text?(from: string, text: string): unknown;
  /** Undefined if the company signs nothing. */
  sign?(callback: { url: string; body: string; at: Date; forged: boolean }): Record<string, string>;
}
export const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;
/** Every member that a company reads. */
export interface Sent {
  to: string;
  content: string;
  request_id: string;
  id: string;
  textMessage: { text: string };
  phoneNumbers: string[];
  withDeliveryReport: boolean;
  ttl: number;
  text: string;
  client_ref: string;
  webhook_url: string;
  channel: string;
  message_type: string;
  dst: string;
  url: string;
  log: string;
  message_expiry: number;
  body: string;
  callback_url: string;
  client_reference: string;
  delivery_report: string;
  recipient: number;
  message: string;
  reference: string;
  expiration: string;
}
export const json = <T = Sent>({ text }: Incoming): T => JSON.parse(text) as T;
export const seconds = (at: Date) => String(Math.floor(at.getTime() / 1_000));
export const key = (forged: boolean, right: string) => (forged ? 'not the key' : right);
export const jwt = (claims: object, secret: string) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `Bearer ${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};
export const codeOf = (codes: Partial<Record<Said, string>>, meaning: Said | undefined): string[] =>
  meaning ? [codes[meaning] ?? []].flat() : [];
