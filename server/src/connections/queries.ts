import type { Connection, SystemName } from '@sixdigit/contract/connection-list.ts';
import type { Language } from '@sixdigit/contract/languages.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

/** The columns of a connection that its owner sees. The rest is in its key. */
export type ConnectionRow = Pick<
  Connection,
  | 'id'
  | 'system'
  | 'api_key_id'
  | 'message'
  | 'language'
  | 'code_pattern'
  | 'code_expires_in'
  | 'created_at'
  | 'previous_secret_until'
  | 'wrong_signatures'
  | 'wrong_signature_at'
  | 'last_error'
  | 'last_error_at'
>;

/** What a request to a connection needs. */
export interface InboundRow {
  id: string;
  account_id: string;
  key_hash: Buffer;
  system: SystemName;
  message: string | null;
  language: Language | null;
  code_pattern: string | null;
  code_expires_in: number | null;
  /** sealed */
  secret: Buffer;
  /** sealed; null unless it is still valid */
  previous_secret: Buffer | null;
}

export interface ConnectionId {
  account_id: string;
  id: string;
}

const SHOWN = `id, system, api_key_id, message, language, code_pattern, code_seconds as code_expires_in, created_at,
  case when previous_until > clock_now() then previous_until end as previous_secret_until,
  wrong_signatures, wrong_signature_at, last_error, last_error_at`;
const INBOUND = `id, account_id, key_hash, system, message, language, code_pattern, code_seconds as code_expires_in, secret,
  case when previous_until > clock_now() then previous_secret end as previous_secret`;

export const insertConnection = (
  tx: Tx,
  row: ConnectionId & {
    api_key_id: string;
    key_hash: Buffer;
    system: SystemName;
    message: string | null;
    language: Language | null;
    code_pattern: string | null;
    code_expires_in: number | null;
    secret: Buffer;
  },
): Promise<number> =>
  tx.run(
    `insert into connections (id, account_id, api_key_id, key_hash, system, message, language, code_pattern, code_seconds, secret, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_now())`,
    [
      row.id,
      row.account_id,
      row.api_key_id,
      row.key_hash,
      row.system,
      row.message,
      row.language,
      row.code_pattern,
      row.code_expires_in,
      row.secret,
    ],
  );

/** Newest first. */
export const selectConnections = (sql: Sql, account_id: string): Promise<ConnectionRow[]> =>
  sql.rows<ConnectionRow>(`select ${SHOWN} from connections where account_id = $1 order by id desc`, [
    account_id,
  ]);

export const findConnection = (
  sql: Queryable,
  { account_id, id }: ConnectionId,
): Promise<ConnectionRow | undefined> =>
  sql.maybe<ConnectionRow>(`select ${SHOWN} from connections where account_id = $1 and id = $2`, [
    account_id,
    id,
  ]);

/** The connections with these ids, of any account. */
export const selectInbound = (sql: Queryable, ids: readonly string[]): Promise<InboundRow[]> =>
  sql.rows<InboundRow>(`select ${INBOUND} from connections where id = any ($1::uuid[])`, [ids]);

/** What the messages of a connection look like. Omitted fields stay unchanged. */
export interface Texts {
  message?: string | null | undefined;
  language?: Language | null | undefined;
  code_pattern?: string | null | undefined;
  code_expires_in?: number | null | undefined;
}

export const updateConnectionTexts = (
  tx: Tx,
  { account_id, id }: ConnectionId,
  { message, language, code_pattern, code_expires_in }: Texts,
): Promise<number> =>
  tx.run(
    `update connections set message = case when $3 then $4 else message end,
       language = case when $5 then $6 else language end,
       code_pattern = case when $7 then $8 else code_pattern end,
       code_seconds = case when $9 then $10::smallint else code_seconds end
     where account_id = $1 and id = $2`,
    [
      account_id,
      id,
      ...[message, language, code_pattern, code_expires_in].flatMap((value) => [
        value !== undefined,
        value ?? null,
      ]),
    ],
  );

/** Replaces the secret. The old one stays valid for a number of hours, possibly 0. */
export const replaceConnectionSecret = (
  tx: Tx,
  { account_id, id }: ConnectionId,
  { secret, hours }: { secret: Buffer; hours: number },
): Promise<number> =>
  tx.run(
    `update connections set secret = $3, previous_secret = case when $4 > 0 then secret end,
       previous_until = case when $4 > 0 then clock_now() + make_interval(hours => $4) end
     where account_id = $1 and id = $2`,
    [account_id, id, secret, hours],
  );

export const deleteConnectionRow = (tx: Tx, { account_id, id }: ConnectionId): Promise<number> =>
  tx.run('delete from connections where account_id = $1 and id = $2', [account_id, id]);

/** Call it when the account is deleted. Its keys remain, without names. */
export const deleteConnectionsOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from connections where account_id = $1', [account_id]);

/** The problems of a connection's requests since they were last written. */
export interface Problems {
  id: string;
  wrong_signatures: number;
  last_error: string | null;
}

export const addProblems = (sql: Sql, problems: readonly Problems[], at: Date): Promise<number> =>
  sql.run(
    `update connections c set wrong_signatures = c.wrong_signatures + p.wrong_signatures,
       wrong_signature_at = case when p.wrong_signatures > 0 then $2 else c.wrong_signature_at end,
       last_error = coalesce(p.last_error, c.last_error),
       last_error_at = case when p.last_error is null then c.last_error_at else $2 end
     from (
       select p.* from json_to_recordset($1) as p (id uuid, wrong_signatures integer, last_error text)
       order by p.id) p
     where c.id = p.id`,
    [JSON.stringify(problems), at],
  );
