import { moment } from '@sixdigit/contract/moment.ts';
import { withPlusOfUrl } from '@sixdigit/contract/text/phone-text.ts';
import { z } from 'zod';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import type { Server } from '../../platform/http/serve.ts';
import {
  type AttemptFilter,
  type AttemptRow,
  countAttempts,
  findAttempt,
  selectAttempts,
} from './attempt-queries.ts';
import { invalid, notFound } from './errors.ts';
import { parse, text } from './fields.ts';
import { pageAsked, pageOf } from './pages.ts';
import { serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import { idOfSid, type SidKind, sidOf, timeOf } from './sids.ts';
import { CHANNEL_NAME, CHANNEL_NAMES, recipientIn } from './verification.ts';

const time = moment('must be a time from 1971 on, such as 2030-01-31T00:00:00Z');
const SUMMARY = z.object({
  DateCreatedAfter: time.optional(),
  DateCreatedBefore: time.optional(),
  Country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be two letters')
    .toUpperCase()
    .optional(),
  Channel: CHANNEL_NAME.optional(),
  VerifyServiceSid: text(64).optional(),
  DestinationPrefix: text(20)
    .overwrite(withPlusOfUrl)
    .regex(/^\+?\d+$/, 'must be the beginning of a phone number')
    .optional(),
});
const LIST = SUMMARY.extend({
  'ChannelData.To': text(320).optional(),
  VerificationSid: text(64).optional(),
  Status: z
    .enum(['converted', 'unconverted', 'CONVERTED', 'UNCONVERTED'], {
      error: 'must be converted or unconverted',
    })
    .optional(),
});

/** Without a time, lists and sums cover this many days. */
const DAYS = 30;
const DAY_MS = 86_400_000;

const idIn = (kind: SidKind, parameter: string, sid: string | undefined): string | null => {
  if (sid === undefined) return null;
  const id = idOfSid(kind, sid);
  if (id === undefined) throw invalid(parameter, `must be a SID that begins with ${kind}`);
  return id;
};

function filterOf(app: TwilioApp, { caller }: TwilioCall, given: z.output<typeof LIST>): AttemptFilter {
  const now = app.clock.now().getTime();
  const to = given['ChannelData.To'];
  const prefix = given.DestinationPrefix;
  return {
    account_id: caller.account_id,
    is_test: caller.is_test,
    from: given.DateCreatedAfter ?? new Date(now - DAYS * DAY_MS).toISOString(),
    before: given.DateCreatedBefore ?? new Date(now + DAY_MS).toISOString(),
    service_id: idIn('VA', 'VerifyServiceSid', given.VerifyServiceSid),
    verification_id: idIn('VE', 'VerificationSid', given.VerificationSid),
    channel: given.Channel ?? null,
    country: given.Country ?? null,
    to: to === undefined ? null : recipientIn(app, 'ChannelData.To', withPlusOfUrl(to)),
    prefix: prefix === undefined ? null : `+${prefix.replace('+', '')}`,
    is_converted: given.Status === undefined ? null : given.Status.toLowerCase() === 'converted',
  };
}

export function attemptRoutes(server: Server, app: TwilioApp): void {
  const all = '/v2/Attempts';
  serveTwilio(server, app, { method: 'GET', path: all, like: 'read' }, async (call) => {
    const filter = filterOf(app, call, parse(LIST, call.query));
    const { PageSize, PageToken } = pageAsked(call);
    const after = idIn('VL', 'PageToken', PageToken);
    const found = await withinListLimits(app.db, filter.account_id, (db) =>
      db.transaction((tx) => selectAttempts(tx, filter, { after, most: PageSize + 1 })),
    );
    const rows = found.slice(0, PageSize);
    const last = found.length > PageSize ? rows.at(-1) : undefined;
    return pageOf(call, {
      key: 'attempts',
      rows: rows.map((row) => shown(call, row)),
      nextToken: last && sidOf('VL', last.otp_id),
    });
  });
  serveTwilio(server, app, { method: 'GET', path: `${all}/Summary`, like: 'read' }, async (call) => {
    const filter = filterOf(app, call, parse(SUMMARY, call.query));
    const { total, converted } = await withinListLimits(
      app.db,
      filter.account_id,
      (db) => db.transaction((tx) => countAttempts(tx, filter)),
      { isCount: true },
    );
    return {
      total_attempts: total,
      total_converted: converted,
      total_unconverted: total - converted,
      conversion_rate_percentage: String(total === 0 ? 0 : Number(((converted / total) * 100).toFixed(9))),
      url: `${call.base}/v2/Attempts/Summary`,
    };
  });
  serveTwilio(server, app, { method: 'GET', path: `${all}/:attempt`, like: 'read' }, async (call) => {
    const { account_id, is_test } = call.caller;
    const otp_id = idOfSid('VL', call.params.attempt ?? '');
    const row = otp_id && (await findAttempt(app.db, { account_id, is_test, otp_id }));
    if (!row) throw notFound('attempt_not_found');
    return shown(call, row);
  });
}

function messageStatus({ status, sent_at, delivered_at, failure }: AttemptRow): string {
  if (delivered_at !== null) return 'delivered';
  if (status === 'failed' && failure !== null && sent_at === null) return 'failed';
  return sent_at === null ? 'queued' : 'sent';
}

function shown({ base, caller }: TwilioCall, row: AttemptRow): object {
  const sid = sidOf('VL', row.otp_id);
  const verification_sid = sidOf('VE', row.verification_id);
  return {
    sid,
    account_sid: sidOf('AC', caller.account_id),
    service_sid: sidOf('VA', row.service_id),
    verification_sid,
    date_created: timeOf(row.created_at),
    date_updated: timeOf(row.changed_at),
    conversion_status: row.is_converted ? 'converted' : 'unconverted',
    channel: CHANNEL_NAMES[row.channel],
    price: { value: String(row.cost_credits), currency: 'credits' },
    channel_data: {
      verification_sid,
      to: row.recipient,
      status: row.is_converted ? 'converted' : 'unconfirmed',
      message_status: messageStatus(row),
      error_code: null,
      country: row.country,
      code_length: row.code_length,
      carrier: row.carrier,
    },
    url: `${base}/v2/Attempts/${sid}`,
  };
}
