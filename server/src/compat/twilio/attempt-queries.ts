import type { Channel } from '@sixdigit/contract/channels.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { Queryable } from '../../platform/db/sql.ts';

export interface AttemptRow {
  otp_id: string;
  verification_id: string;
  service_id: string;
  channel: Channel;
  recipient: string;
  status: OtpStatus;
  country: string | null;
  carrier: string | null;
  code_length: number;
  cost_credits: number;
  is_converted: boolean;
  created_at: string;
  changed_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  failure: string | null;
}

/** null: any */
export interface AttemptFilter {
  account_id: string;
  is_test: boolean;
  /** times of the sends, from (inclusive) and before (exclusive) */
  from: string;
  before: string;
  service_id: string | null;
  verification_id: string | null;
  channel: Channel | null;
  country: string | null;
  /** the whole number or its beginning */
  to: string | null;
  prefix: string | null;
  is_converted: boolean | null;
}

/** A code of Sixdigit was entered, or the sender says so of its own code. */
const CONVERTED = `(v.status = 'verified' or v.outcome is not distinct from 'verified')`;

const JOINED = `from twilio_attempts a join verifications v on v.account_id = a.account_id and v.id = a.otp_id
  where a.account_id = $1 and v.account_id = $1 and a.is_test = $2
    and a.otp_id >= uuid_floor($3) and a.otp_id < uuid_floor($4)
    and v.id >= uuid_floor($3) and v.id < uuid_floor($4)
    and ($5::uuid is null or a.service_id = $5) and ($6::uuid is null or a.verification_id = $6)
    and ($7::text is null or v.channel = $7) and ($8::text is null or v.country = $8)
    and ($9::text is null or v.recipient = $9) and ($10::text is null or starts_with(v.recipient, $10))
    and ($11::boolean is null or ${CONVERTED} = $11)`;

const paramsOf = (filter: AttemptFilter) => [
  filter.account_id,
  filter.is_test,
  filter.from,
  filter.before,
  filter.service_id,
  filter.verification_id,
  filter.channel,
  filter.country,
  filter.to,
  filter.prefix,
  filter.is_converted,
];

const SHOWN = `a.otp_id, a.verification_id, a.service_id, v.channel, v.recipient, v.status, v.country, v.carrier, v.code_length,
  v.cost_credits, ${CONVERTED} as is_converted, v.created_at, v.sent_at, v.delivered_at, v.failure,
  greatest(v.created_at, v.sent_at, v.delivered_at, v.verified_at, v.outcome_at) as changed_at`;

/** Newest first, those older than `after`. */
export const selectAttempts = (
  sql: Queryable,
  filter: AttemptFilter,
  { after, most }: { after: string | null; most: number },
): Promise<AttemptRow[]> =>
  sql.rows<AttemptRow>(
    `select ${SHOWN} ${JOINED} and ($12::uuid is null or a.otp_id < $12) order by a.otp_id desc limit $13`,
    [...paramsOf(filter), after, most],
  );

export const countAttempts = (
  sql: Queryable,
  filter: AttemptFilter,
): Promise<{ total: number; converted: number }> =>
  sql.one(
    `select count(*) as total, count(*) filter (where ${CONVERTED}) as converted ${JOINED}`,
    paramsOf(filter),
  );

export const findAttempt = (
  sql: Queryable,
  { account_id, is_test, otp_id }: { account_id: string; is_test: boolean; otp_id: string },
): Promise<AttemptRow | undefined> =>
  sql.maybe<AttemptRow>(
    `select ${SHOWN} from twilio_attempts a join verifications v on v.account_id = a.account_id and v.id = a.otp_id
     where a.account_id = $1 and a.is_test = $2 and a.otp_id = $3 and v.account_id = $1 and v.id = $3`,
    [account_id, is_test, otp_id],
  );
