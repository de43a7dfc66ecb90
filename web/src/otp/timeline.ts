import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { StatusLog, VerificationDetail } from '@sixdigit/contract/verifications.ts';
import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';

type WrongCode = Pick<RequestLog, 'id' | 'created_at' | 'ip_address'>;

/** Wrong codes from one address, without another entry between them. */
export interface WrongCodes {
  id: string;
  count: number;
  from: string;
  until: string;
  ip_address: string | null;
}

export type Entry =
  | { kind: 'status'; at: string; log: StatusLog }
  | { kind: 'wrong_codes'; at: string; tries: WrongCodes }
  | { kind: 'webhook'; at: string; message: VerificationWebhook };

interface Parts {
  logs: readonly StatusLog[];
  tries?: readonly WrongCode[] | undefined;
  messages?: readonly VerificationWebhook[] | undefined;
}

/** Everything that happened to a verification, oldest first. */
export function timelineOf({ logs, tries = [], messages = [] }: Parts): Entry[] {
  const entries: Entry[] = [
    ...logs.map((log) => ({ kind: 'status', at: log.changed_at, log }) as const),
    ...tries.map((one) => ({ kind: 'wrong_codes', at: one.created_at, tries: single(one) }) as const),
    ...messages.map((message) => ({ kind: 'webhook', at: message.created_at, message }) as const),
  ];
  // The sort is stable: at the same time, a status change precedes its webhooks.
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).reduce(withGroup, []);
}

const single = ({ id, created_at, ip_address }: WrongCode): WrongCodes => ({
  id,
  count: 1,
  from: created_at,
  until: created_at,
  ip_address,
});

function withGroup(before: Entry[], entry: Entry): Entry[] {
  const last = before.at(-1);
  const isEqual =
    entry.kind === 'wrong_codes' &&
    last?.kind === 'wrong_codes' &&
    last.tries.ip_address === entry.tries.ip_address;
  if (!isEqual) return [...before, entry];
  const tries = { ...last.tries, count: last.tries.count + 1, until: entry.at };
  return [...before.slice(0, -1), { ...last, tries }];
}

type Times = Pick<
  VerificationDetail,
  'created_at' | 'sent_at' | 'delivered_at' | 'verified_at' | 'expires_at'
>;

/** The main moments of a verification that have a time, in milliseconds since its creation. */
export function momentsOf(otp: Times): { name: string; afterMs: number }[] {
  const created = Date.parse(otp.created_at);
  return [
    { name: 'Created', at: otp.created_at },
    { name: 'Sent', at: otp.sent_at },
    { name: 'Delivered', at: otp.delivered_at },
    { name: 'Verified', at: otp.verified_at },
    { name: 'Expires', at: otp.expires_at },
  ].flatMap(({ name, at }) => (at ? [{ name, afterMs: Math.max(0, Date.parse(at) - created) }] : []));
}
