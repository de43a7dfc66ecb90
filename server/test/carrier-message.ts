import type { Carrier, Message, Outcome } from '../src/messaging/carriers/carrier.ts';
import { numberOf } from './fakes/behaviour.ts';

/** A message to a carrier, with a unique code. */
export const carrierMessage = (over: Partial<Message> = {}): Message => ({
  id: '0198c0de-0000-7000-8000-000000000001',
  channel: 'sms',
  recipient: numberOf.accept,
  text: 'Your verification code is: 123456',
  code: '123456',
  expires_at: new Date('2026-11-21T04:00:00.000Z'),
  ...over,
});

/** Dispatches one message through a carrier, and closes the carrier. */
export async function dispatchOnce(
  carrier: Carrier,
  message: Message,
  signal?: AbortSignal,
): Promise<Outcome> {
  try {
    return await carrier.dispatch(message, signal ?? new AbortController().signal);
  } finally {
    await carrier.close?.();
  }
}

/** The behaviors of a fake carrier after which a message may have been accepted, and the reasons that the service records. */
export const LOST_RESPONSES = [
  ['hang', 'carrier_timeout'],
  ['reset', 'carrier_reset'],
  ['lose', 'carrier_reset'],
] as const;

export const UNREACHABLE = {
  kind: 'refused',
  reason: 'carrier_unreachable',
  rest: true,
  temporary: true,
} as const;
