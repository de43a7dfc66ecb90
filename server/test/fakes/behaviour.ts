/**
 * The recipient chooses how the fake Twilio and the fake HTTP carrier treat a message. They accept any other recipient.
 * The numbers are valid to libphonenumber and reserved for fiction; e-mail addresses choose by their local part, up to
 * a `+`: `error+7@example.com`.
 */
export type Behaviour =
  | 'accept'
  /** The recipient has opted out (Twilio 21610, HTTP 410). */
  | 'unsubscribed'
  /** Not a number (Twilio 21211, HTTP 422). */
  | 'invalid'
  /** Refused by policy (Twilio 30007, HTTP 422). */
  | 'filtered'
  /** HTTP 400 without a known reason. */
  | 'refuse'
  /** HTTP 500. */
  | 'error'
  /** HTTP 429. */
  | 'limit'
  /** HTTP 401, as after a revoked token. */
  | 'unauthorized'
  /** Stores the message and never responds. */
  | 'hang'
  /** Stores the message and then closes the connection. */
  | 'reset'
  /** Stores the message and closes the connection after `slowMs`. */
  | 'late_reset'
  /** Breaks the connection without keeping the message. */
  | 'lose'
  /** Responds after `slowMs`. */
  | 'slow'
  /** Stores the message and refuses it with HTTP 400 and a body that echoes the request. */
  | 'echo';

/** Response time of a slow carrier. */
export const slowMs = 400;

export const numberOf: Record<Behaviour, string> = {
  accept: '+12025550100',
  unsubscribed: '+12025550110',
  invalid: '+12025550111',
  filtered: '+12025550112',
  refuse: '+12025550113',
  error: '+12025550114',
  limit: '+12025550115',
  unauthorized: '+12025550116',
  hang: '+12025550117',
  reset: '+12025550118',
  lose: '+12025550119',
  slow: '+12025550120',
  echo: '+12025550121',
  late_reset: '+12025550122',
};

export function behaviourOf(recipient: string): Behaviour {
  const [local = ''] = recipient.split(/[+@]/);
  if (recipient.includes('@')) return Object.hasOwn(numberOf, local) ? (local as Behaviour) : 'accept';
  const found = Object.entries(numberOf).find(([, number]) => number === recipient);
  return found ? (found[0] as Behaviour) : 'accept';
}
