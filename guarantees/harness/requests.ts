import type { Account } from './accounts.ts';
import type { Prepared } from './load.ts';

const SEND = '/api/v1/otp/send/';
const VERIFY = '/api/v1/otp/verify/';
const AREA_CODES = ['212', '415', '305', '617', '206', '312'];
const NUMBERS_PER_AREA = 7_000_000;

let issued = 0;

/** A number of the North American numbering plan, different at every call of one process. */
export function nextPhone(): string {
  issued++;
  const area = AREA_CODES[Math.floor(issued / NUMBERS_PER_AREA) % AREA_CODES.length];
  return `+1${area}${2_000_000 + (issued % NUMBERS_PER_AREA)}`;
}

export const sendRequest = (key: string, recipient = nextPhone()): Prepared => ({
  path: SEND,
  headers: { 'x-api-key': key },
  body: JSON.stringify({ channel: 'sms', recipient }),
});

export const verifyRequest = (key: string, otp_id: string, code: string | undefined): Prepared => ({
  path: VERIFY,
  headers: { 'x-api-key': key },
  body: JSON.stringify({ otp_id, code }),
});

/** Sends to new numbers, from one key after the other. */
export function sender(accounts: readonly Account[]): () => Prepared {
  let turn = 0;
  return () => sendRequest(accounts[turn++ % accounts.length]?.key ?? '');
}
