import type { Channel } from '@sixdigit/contract/channels.ts';
import { EXPIRY_SECONDS } from '@sixdigit/contract/code-message.ts';
import type { Language } from '@sixdigit/contract/languages.ts';
import type { TestMessage } from '@sixdigit/contract/test-mode.ts';
import { orderBy, type Page } from '../../platform/db/page.ts';
import type { Sql } from '../../platform/db/sql.ts';

/**
 * Does nothing if an earlier dispatch already stored the message. The last step of a plan is delivered, so that tests can enter the
 * code of a plan whose other steps are not.
 */
export const insertTestMessage = (
  db: Sql,
  { id, report, seconds }: { id: string; report: string; seconds: number },
): Promise<number> =>
  db.run(
    `insert into test_messages (account_id, id, created_at, report, report_at, code_sealed)
     select d.account_id, d.id, clock_now(), case when l.is_last then 'delivered' else $2 end,
       clock_now() + make_interval(secs => case when l.is_last then 1 else $3 end),
       case when v.own_code then d.sealed end
     from deliveries d join verifications v on v.account_id = d.account_id and v.id = d.id
     cross join lateral (
       select $2 = 'undelivered' and v.plan is not null and not exists (
         select from plans p where p.otp_id = coalesce(v.resend_of, v.id) and json_array_length(p.rest) > 0) as is_last) l
     where d.id = $1
     on conflict (account_id, id) do nothing`,
    [id, report, seconds],
  );

export interface DueReport {
  account_id: string;
  id: string;
  report: 'delivered' | 'undelivered';
}

export const selectDueReports = (sql: Sql, most: number): Promise<DueReport[]> =>
  sql.rows<DueReport>(
    `select account_id, id, report from test_messages
     where report is not null and report_at <= clock_now() order by report_at limit $1`,
    [most],
  );

/** Removes the sealed codes of expired verifications. No code is valid for more than an hour. */
export const wipeTestCodes = (sql: Sql, most: number): Promise<number> =>
  sql.run(
    `update test_messages set code_sealed = null where (account_id, id) in (
       select account_id, id from test_messages
       where code_sealed is not null and created_at < clock_now() - make_interval(secs => ${EXPIRY_SECONDS.max})
       limit $1 for update skip locked)`,
    [most],
  );

export const markReported = (sql: Sql, reports: readonly DueReport[]): Promise<number> =>
  sql.run(
    `update test_messages t set report = null from unnest($1::uuid[], $2::uuid[]) as r (account_id, id)
     where t.account_id = r.account_id and t.id = r.id`,
    [reports.map(({ account_id }) => account_id), reports.map(({ id }) => id)],
  );

/** The values from which a message is rendered. */
export interface TestMessageRow extends Pick<TestMessage, 'id' | 'recipient' | 'status' | 'created_at'> {
  channel: Channel;
  message: string | null;
  subject: string | null;
  language: string | null;
  locale: string | null;
  account_id: string;
  code_length: number;
  own_code: boolean;
  /** Own codes only, until they expire. */
  code_sealed: Buffer | null;
  seconds: number;
  sender_name: string;
  default_message: string;
  default_subject: string;
  default_language: Language;
}

const ALL = `test_messages t
  join verifications v on v.account_id = t.account_id and v.id = t.id
  join accounts a on a.id = t.account_id`;
const MESSAGES = `${ALL} where t.account_id = $1 and ($2::text[] is null or v.recipient like any ($2))`;
const COLUMNS = `t.account_id, t.id, v.channel, v.recipient, v.message, v.subject, v.language, v.locale, v.code_length, v.own_code, t.created_at,
  case when v.expires_at > clock_now() then t.code_sealed end as code_sealed,
  case when v.status = 'sent' and v.expires_at <= clock_now() then 'expired' else v.status end as status,
  extract(epoch from v.expires_at - v.created_at)::integer as seconds,
  a.sender_name, a.default_message, a.default_subject, a.default_language`;

export const selectTestMessages = (
  sql: Sql,
  account_id: string,
  { recipients, ordering, limit, offset }: Page & { recipients: string[] | null; ordering: string },
): Promise<TestMessageRow[]> =>
  sql.rows<TestMessageRow>(
    `select ${COLUMNS} from ${MESSAGES}
     order by ${orderBy(ordering, { created_at: 't.id' }, 't.id')} limit $3 offset $4`,
    [account_id, recipients, limit, offset],
  );

export const findTestMessage = (
  sql: Sql,
  account_id: string,
  id: string,
): Promise<TestMessageRow | undefined> =>
  sql.maybe<TestMessageRow>(`select ${COLUMNS} from ${ALL} where t.account_id = $1 and t.id = $2`, [
    account_id,
    id,
  ]);

export const countTestMessages = async (
  sql: Sql,
  account_id: string,
  recipients: string[] | null,
): Promise<number> =>
  (await sql.one<{ n: number }>(`select count(*) as n from ${MESSAGES}`, [account_id, recipients])).n;
