import type { Account } from '../harness/accounts.ts';
import type { Answered, Prepared } from '../harness/load.ts';
import { nextPhone, sendRequest } from '../harness/requests.ts';

/** An acknowledged send, with the API key that verifies it. */
export interface Sent {
  id: string;
  key: string;
}

/** Sends to new numbers, from one account after the other, and a list of the acknowledged ones. */
export function notedSends(accounts: readonly Account[]): {
  sent: Sent[];
  next(): Prepared;
  note(answered: Answered): void;
} {
  const sent: Sent[] = [];
  const keyOf = new Map<string, string>();
  let n = 0;
  return {
    sent,
    next() {
      const key = accounts[n++ % accounts.length]?.key ?? '';
      const recipient = nextPhone();
      keyOf.set(recipient, key);
      return sendRequest(key, recipient);
    },
    note({ status, body }) {
      if (status !== 201) return;
      const { otp_id, recipient } = JSON.parse(body) as { otp_id: string; recipient: string };
      sent.push({ id: otp_id, key: keyOf.get(recipient) ?? '' });
      keyOf.delete(recipient);
    },
  };
}
