import type { CarrierError } from '@sixdigit/contract/operator/carriers.ts';
import type { Queryable } from '../../platform/db/sql.ts';

interface Health {
  /** carrier/channel */
  subject: string;
  counts: {
    accepted: number;
    refused: number;
    uncertain: number;
    average_ms: number | null;
    open_breakers: number;
  };
}

/** Answers of the last ten minutes, and breakers that workers show as open now. */
export const selectCarrierHealth = async (sql: Queryable): Promise<Health[]> =>
  (
    await sql.rows<{ subject: string } & Health['counts']>(
      `select s.subject,
         coalesce(sum(m.entries) filter (where m.kind = 'accepted'), 0) as accepted,
         coalesce(sum(m.entries) filter (where m.kind = 'refused'), 0) as refused,
         coalesce(sum(m.entries) filter (where m.kind = 'uncertain'), 0) as uncertain,
         round(sum(m.ms)::numeric / nullif(sum(m.entries), 0)) as average_ms,
         (select count(*) from open_breakers b where b.carrier || '/' || b.channel = s.subject
            and b.seen_at > clock_timestamp() - interval '5 seconds') as open_breakers
       from (
         select subject from activity_minutes where subject <> '' and minute > clock_now() - interval '10 minutes'
         union select carrier || '/' || channel from open_breakers
       ) s
       left join activity_minutes m on m.subject = s.subject and m.minute > clock_now() - interval '10 minutes'
       group by s.subject`,
    )
  ).map(({ subject, ...counts }) => ({ subject, counts }));

const SHOWN_ERRORS = 20;

export const selectCarrierErrors = (sql: Queryable): Promise<CarrierError[]> =>
  sql.rows<CarrierError>(
    `select id, created_at, carrier, channel, kind, reason, detail from carrier_errors order by id desc limit ${SHOWN_ERRORS}`,
  );

/** The counts of one minute. */
export interface Minute {
  at: string;
  sends: number;
  refused_sends: number;
  verified: number;
  wrong_codes: number;
  delivered: number;
  undelivered: number;
}

/** The last 60 minutes, oldest first. */
export const selectMinutes = (sql: Queryable): Promise<Minute[]> =>
  sql.rows<Minute>(
    `select at, coalesce(sum(m.entries) filter (where m.kind = 'send'), 0) as sends,
       coalesce(sum(m.entries) filter (where m.kind = 'send_refused'), 0) as refused_sends,
       coalesce(sum(m.entries) filter (where m.kind = 'verified'), 0) as verified,
       coalesce(sum(m.entries) filter (where m.kind = 'wrong_code'), 0) as wrong_codes,
       coalesce(sum(m.entries) filter (where m.kind = 'delivered'), 0) as delivered,
       coalesce(sum(m.entries) filter (where m.kind = 'undelivered'), 0) as undelivered
     from generate_series(date_trunc('minute', clock_now()) - interval '59 minutes', date_trunc('minute', clock_now()),
       interval '1 minute') as at
     left join activity_minutes m on m.minute = at and m.subject = ''
     group by at order by at`,
  );

/** The size of the database now and a day ago, its connections, and the version of its server. */
export const selectDatabase = (
  sql: Queryable,
): Promise<{ bytes: number; bytes_a_day_ago: number | null; connections: number; postgresql: string }> =>
  sql.one(
    `select pg_database_size(current_database()) as bytes,
       (select bytes from database_sizes where day < (clock_now() at time zone 'UTC')::date order by day desc limit 1)
         as bytes_a_day_ago,
       (select count(*) from pg_stat_activity where datname = current_database()) as connections,
       split_part(current_setting('server_version'), ' ', 1) as postgresql`,
  );
