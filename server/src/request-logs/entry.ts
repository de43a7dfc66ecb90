import { createHash } from 'node:crypto';
import { CHANNELS } from '#contract/otp.ts';
import type { Random } from '../random.ts';
import { uuidText } from '../random.ts';

/** One answered request of a known API key. */
export interface RequestLogEntry {
  account_id: string;
  api_key_id: string;
  request_type: 'send_otp' | 'verify_otp';
  method: string;
  /** the path, without its query */
  endpoint: string;
  response_status_code: number;
  response_time_ms: number;
  credits_used: number;
  /** as the caller wrote it; kept where it is one */
  channel: string | null;
  recipient: string | null;
  otp_id: string | null;
  ip_address: string | null;
  request_id: string;
  /** the refusal, as in the answer */
  reason: string | null;
}

export interface RequestLogRow extends RequestLogEntry {
  id: string;
  created_at: string;
  count: number;
}

const TEXT_MOST = 320;
/** What a caller wrote is cut, and loses what the database cannot hold. */
const storable = (text: string | null): string | null =>
  text === null ? null : text.replaceAll('\0', '').slice(0, TEXT_MOST).toWellFormed();

export function rowOf(entry: RequestLogEntry, at: Date, random: Pick<Random, 'uuid'>): RequestLogRow {
  return {
    ...entry,
    endpoint: storable(entry.endpoint) ?? '',
    channel: CHANNELS.find((channel) => channel === entry.channel) ?? null,
    // As the sends that are accepted have it, which is how it is searched for.
    recipient: storable(entry.recipient)?.toLowerCase() ?? null,
    id: entry.reason === 'rate_limited' ? idOfSecond(entry.api_key_id, at) : random.uuid(),
    created_at: at.toISOString(),
    count: 1,
  };
}

/**
 * The UUIDv7 that every process gives to the refusals of one key in one second: the second's time, then a hash of both
 * in place of the random bits.
 */
function idOfSecond(api_key_id: string, at: Date): string {
  const second = Math.floor(at.getTime() / 1000);
  const id = createHash('sha256').update(`${api_key_id} ${second}`).digest().subarray(0, 16);
  id.writeUIntBE(second * 1000, 0, 6);
  id[6] = 0x70 | ((id[6] ?? 0) & 0x0f);
  id[8] = 0x80 | ((id[8] ?? 0) & 0x3f);
  return uuidText(id);
}
