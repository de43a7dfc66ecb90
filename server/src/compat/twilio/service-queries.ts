import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { lockKey } from '../../platform/db/advisory-locks.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';

/** What a service can be set to, beside its name and the length of its codes. */
export interface ServiceSettings {
  lookup_enabled: boolean;
  skip_sms_to_landlines: boolean;
  dtmf_input_required: boolean;
  tts_name: string | null;
  do_not_share_warning_enabled: boolean;
  custom_code_enabled: boolean;
  verify_event_subscription_enabled: boolean;
}

export interface OwnId {
  account_id: string;
  id: string;
}

export interface ServiceRow extends OwnId {
  /** made with a test key, so no live key finds it */
  is_test: boolean;
  friendly_name: string;
  code_length: number;
  settings: ServiceSettings;
  created_at: string;
  updated_at: string;
}

const SERVICE = 'id, account_id, is_test, friendly_name, code_length, settings, created_at, updated_at';

/** Locks the number of an account's services, of a service's rate limits or of a rate limit's buckets. */
export const lockOwner = (tx: Tx, id: string): Promise<number> => lockKey(tx, 'twilio', `rows of ${id}`);

/** Which services a key sees: a live key the live ones, a test key all of the account. */
type Viewer = Pick<ApiCaller, 'account_id' | 'is_test'>;
const VISIBLE = 'account_id = $1 and (not is_test or $2)';

/** Newest first. */
export const selectServices = (sql: Queryable, { account_id, is_test }: Viewer): Promise<ServiceRow[]> =>
  sql.rows<ServiceRow>(`select ${SERVICE} from twilio_services where ${VISIBLE} order by id desc`, [
    account_id,
    is_test,
  ]);

/** The live services of an account, or those of its tests. */
export const countServices = async (tx: Tx, { account_id, is_test }: Viewer): Promise<number> =>
  (
    await tx.one<{ count: number }>(
      'select count(*) from twilio_services where account_id = $1 and is_test = $2',
      [account_id, is_test],
    )
  ).count;

export const findService = (
  sql: Queryable,
  { account_id, is_test }: Viewer,
  id: string,
): Promise<ServiceRow | undefined> =>
  sql.maybe<ServiceRow>(`select ${SERVICE} from twilio_services where ${VISIBLE} and id = $3`, [
    account_id,
    is_test,
    id,
  ]);

/** Keeps a service from being deleted while the transaction adds to it. False if it was deleted. */
export const keepService = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.rows('select from twilio_services where id = $1 for key share', [id])).length === 1;

export const insertService = (
  tx: Tx,
  row: Omit<ServiceRow, 'created_at' | 'updated_at'>,
): Promise<ServiceRow> =>
  tx.one<ServiceRow>(
    `insert into twilio_services (id, account_id, is_test, friendly_name, code_length, settings, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, clock_now(), clock_now()) returning ${SERVICE}`,
    [row.id, row.account_id, row.is_test, row.friendly_name, row.code_length, JSON.stringify(row.settings)],
  );

export const updateService = (
  sql: Tx,
  { account_id, id }: OwnId,
  change: {
    friendly_name: string | undefined;
    code_length: number | undefined;
    settings: Partial<ServiceSettings>;
  },
): Promise<ServiceRow | undefined> =>
  sql.maybe<ServiceRow>(
    `update twilio_services set friendly_name = coalesce($3, friendly_name), code_length = coalesce($4, code_length),
       settings = settings || $5, updated_at = clock_now()
     where account_id = $1 and id = $2 returning ${SERVICE}`,
    [
      account_id,
      id,
      change.friendly_name ?? null,
      change.code_length ?? null,
      JSON.stringify(change.settings),
    ],
  );

/** Deletes its rate limits and buckets as well. Verifications remain, but only as attempts. */
export const deleteService = (sql: Tx, { account_id, id }: OwnId): Promise<number> =>
  sql.run('delete from twilio_services where account_id = $1 and id = $2', [account_id, id]);
