import { createHash } from 'node:crypto';
import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { RefusedField } from '@sixdigit/contract/request-logs.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { uuidText } from '../platform/security/random.ts';

/** A completed request of a valid API key. */
export interface RequestLogEntry {
  account_id: string;
  api_key_id: string;
  request_type: 'send_otp' | 'verify_otp';
  method: string;
  /** the path without the query */
  endpoint: string;
  response_status_code: number;
  response_time_ms: number;
  credits_used: number;
  /** as the caller sent it; stored only if it is a channel */
  channel: string | null;
  recipient: string | null;
  /** identifies a recipient that cannot be stored, to compare requests of the same second */
  unstored_recipient: string | null;
  otp_id: string | null;
  ip_address: string | null;
  request_id: string;
  /** the refusal's `reason` in the response */
  reason: string | null;
  refused_fields: RefusedField[] | null;
  /** the rules that refused a send to a blocked destination */
  blocked_by: readonly string[] | null;
}

/** A row of the log. Usual values are stored as null. */
export interface RequestLogRow
  extends Omit<RequestLogEntry, 'method' | 'endpoint' | 'request_id' | 'unstored_recipient'> {
  id: string;
  /** null: POST */
  method: string | null;
  /** null for the usual endpoint of the request type */
  endpoint: string | null;
  /** null: the row's id */
  request_id: string | null;
  created_at: string;
  count: number;
}

const TEXT_MOST = 320;
/** Truncates the caller's text and removes characters that the database cannot store. */
const storable = (text: string | null): string | null =>
  text === null ? null : text.replaceAll('\0', '').slice(0, TEXT_MOST).toWellFormed();

/** The endpoint of each request type. */
export const ENDPOINTS = {
  send_otp: API_BASE + sendOtp.path,
  verify_otp: API_BASE + verifyOtp.path,
} as const;
export const METHOD = sendOtp.method;

export function rowOf({ unstored_recipient: _, ...entry }: RequestLogEntry, at: Date): RequestLogRow {
  const isCounted = entry.reason === 'rate_limited';
  return {
    ...entry,
    id: isCounted ? idOfSecond(entry.api_key_id, at) : entry.request_id,
    request_id: isCounted ? entry.request_id : null,
    method: entry.method === METHOD ? null : entry.method,
    endpoint: entry.endpoint === ENDPOINTS[entry.request_type] ? null : storable(entry.endpoint),
    channel: CHANNELS.find((channel) => channel === entry.channel) ?? null,
    // In lower case, because accepted sends store it and the search compares it that way.
    recipient: storable(entry.recipient)?.toLowerCase() ?? null,
    created_at: at.toISOString(),
    count: 1,
  };
}

/**
 * The UUIDv7 of the row for one key's refusals in one second. It consists of the second's time and, in place of the random
 * bits, a hash of the key and the second, so that every process computes the same id.
 */
function idOfSecond(api_key_id: string, at: Date): string {
  const second = Math.floor(at.getTime() / 1000);
  const id = createHash('sha256').update(`${api_key_id} ${second}`).digest().subarray(0, 16);
  id.writeUIntBE(second * 1000, 0, 6);
  id[6] = 0x70 | ((id[6] ?? 0) & 0x0f);
  id[8] = 0x80 | ((id[8] ?? 0) & 0x3f);
  return uuidText(id);
}
