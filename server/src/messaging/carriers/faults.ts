import type { Refused } from './carrier.ts';

/** Why a carrier refused a message, by the carrier's own error code or by the HTTP status. */
export interface Fault
  extends Pick<Refused, 'reason' | 'unsubscribed' | 'suppress' | 'final' | 'rest' | 'temporary'> {
  /** Without a full stop: the carrier's code may follow. The carrier's own text is omitted because it may quote the message. */
  sentence: string;
}

export const recipientFault = (reason: string, sentence: string): Fault => ({
  reason,
  sentence,
  final: true,
});

export const setupFault = (sentence: string, reason = 'carrier_misconfigured'): Fault => ({
  reason,
  sentence,
  rest: true,
});

export const temporaryFault = (reason: string, sentence: string): Fault => ({
  reason,
  sentence,
  rest: true,
  temporary: true,
});

/** The meaning of a status in a REST API. `ownReason` names a refusal that the status does not explain. */
export function statusFault(carrier: string, status: number, ownReason = `http_${status}`): Fault {
  if (status === 429 || status === 408 || status === 425)
    return temporaryFault('rate_limited', `${carrier} limits the rate of messages`);
  if (status >= 500) return temporaryFault('carrier_error', `${carrier} is in trouble (HTTP ${status})`);
  if (status === 401 || status === 403)
    return setupFault(`${carrier} refused the account or its token`, 'carrier_unauthorized');
  if (status === 404 || status < 400) return setupFault(`${carrier} was not found (HTTP ${status})`);
  return { reason: ownReason, sentence: `${carrier} refused the message` };
}

/** `note` follows the sentence, such as " (Twilio error 30007)". */
export function refusal({ sentence, ...fault }: Fault, note = ''): Refused {
  return { kind: 'refused', detail: `${sentence}${note}.`, ...fault };
}
