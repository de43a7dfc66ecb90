import type { Account } from '../harness/accounts.ts';
import {
  type Answered,
  closedLoop,
  nextPhone,
  type Prepared,
  sendRequest,
  verifyRequest,
} from '../harness/load.ts';
import { type Subject, until } from './running-subject.ts';

/** An acknowledged send, with the API key that verifies it. */
export interface Sent {
  id: string;
  key: string;
}

/** Sends to new numbers, rotating through the accounts, and lists the acknowledged sends. */
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

/** Full cycles per second: send, dispatch, verify, and write the webhook message. */
export async function wholeLives(
  service: Subject,
  accounts: readonly Account[],
  seconds: number,
): Promise<number> {
  const sends = notedSends(accounts);
  const waitingForCode = sends.sent;
  const ready: Sent[] = [];
  let verified = 0;
  const next = (): Prepared => {
    for (let i = waitingForCode.length - 1, seen = 0; i >= 0 && seen < 64; i--, seen++) {
      const one = waitingForCode[i] as Sent;
      if (service.dispatched.has(one.id)) {
        waitingForCode.splice(i, 1);
        ready.push(one);
      }
    }
    const one = ready.pop();
    if (one) {
      const code = service.dispatched.get(one.id) ?? '';
      service.dispatched.delete(one.id);
      return verifyRequest(one.key, one.id, code);
    }
    return sends.next();
  };
  const began = performance.now();
  await closedLoop(service.port, { connections: 64, seconds }, next, 201, (answered) => {
    if (answered.status === 200) verified++;
    sends.note(answered);
  });
  return verified / ((performance.now() - began) / 1000);
}

/** Sends messages through a service that dispatches, until their codes are known. */
export async function dispatchedCodes(
  service: Subject,
  accounts: readonly Account[],
  count: number,
): Promise<(Sent & { code: string })[]> {
  const { sent, next, note } = notedSends(accounts);
  let left = count;
  const some = () => (left-- > 0 ? next() : undefined);
  await closedLoop(service.port, { connections: 64, seconds: 120 }, some, 201, note);
  await until(() => sent.every(({ id }) => service.dispatched.has(id)), 60);
  return sent.map(({ id, key }) => ({ id, key, code: service.dispatched.get(id) ?? '' }));
}
