import type { Account } from '../harness/accounts.ts';
import { closedLoop, type Prepared } from '../harness/load.ts';
import { nextPhone, sendRequest, verifyRequest } from '../harness/requests.ts';
import { type Subject, until } from './running-subject.ts';

/** Full cycles per second: send, dispatch, verify, webhook message written. */
export async function wholeLives(
  service: Subject,
  accounts: readonly Account[],
  seconds: number,
): Promise<number> {
  const keyOf = new Map<string, string>();
  const ready: { id: string; key: string }[] = [];
  const waitingForCode: { id: string; key: string }[] = [];
  let n = 0;
  let verified = 0;
  const next = (): Prepared => {
    for (let i = waitingForCode.length - 1, seen = 0; i >= 0 && seen < 64; i--, seen++) {
      const one = waitingForCode[i] as { id: string; key: string };
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
    const key = accounts[n++ % accounts.length]?.key ?? '';
    const recipient = nextPhone();
    keyOf.set(recipient, key);
    return sendRequest(key, recipient);
  };
  const began = performance.now();
  await closedLoop(service.port, { connections: 64, seconds }, next, 201, ({ status, body }) => {
    if (status === 200) verified++;
    if (status !== 201) return;
    const { otp_id, recipient } = JSON.parse(body) as { otp_id: string; recipient: string };
    const key = keyOf.get(recipient) ?? '';
    keyOf.delete(recipient);
    waitingForCode.push({ id: otp_id, key });
  });
  return verified / ((performance.now() - began) / 1000);
}

/** A message that was dispatched, with what verifies its code. */
export interface Dispatched {
  id: string;
  key: string;
  code: string;
}

/** Sends messages through a service that dispatches, until their codes are known. */
export async function dispatchedCodes(
  service: Subject,
  accounts: readonly Account[],
  count: number,
): Promise<Dispatched[]> {
  const sent: { id: string; key: string }[] = [];
  const keys = new Map<string, string>();
  let n = 0;
  await closedLoop(
    service.port,
    { connections: 64, seconds: 120 },
    () => {
      if (n >= count) return undefined;
      const key = accounts[n++ % accounts.length]?.key ?? '';
      const recipient = nextPhone();
      keys.set(recipient, key);
      return sendRequest(key, recipient);
    },
    201,
    ({ status, body }) => {
      if (status !== 201) return;
      const { otp_id, recipient } = JSON.parse(body) as { otp_id: string; recipient: string };
      sent.push({ id: otp_id, key: keys.get(recipient) ?? '' });
    },
  );
  await until(() => sent.every(({ id }) => service.dispatched.has(id)), 60);
  return sent.map(({ id, key }) => ({ id, key, code: service.dispatched.get(id) ?? '' }));
}
