import type { TemplateBody, TemplateText } from '@sixdigit/contract/templates.ts';
import type { z } from 'zod';
import { lockKey } from '../platform/db/advisory-locks.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';

export interface TemplateRow {
  id: string;
  account_id: string;
  name: string;
  texts: TemplateText[];
  dlt_entity_id: string | null;
  dlt_template_id: string | null;
  version: number;
  created_at: string;
  updated_at: string;
}

const ROW = 'id, account_id, name, texts, dlt_entity_id, dlt_template_id, version, created_at, updated_at';

type Body = z.output<typeof TemplateBody>;
interface Key {
  id: string;
  account_id: string;
}

/** Prevents concurrent changes of an account's templates until the transaction ends. */
export const lockTemplatesOf = (tx: Tx, account_id: string): Promise<number> =>
  lockKey(tx, 'templates', account_id);

export const selectTemplates = (sql: Queryable, account_id: string): Promise<TemplateRow[]> =>
  sql.rows<TemplateRow>(`select ${ROW} from templates where account_id = $1 order by name`, [account_id]);

export const countTemplates = async (tx: Tx, account_id: string): Promise<number> =>
  (await tx.one<{ n: number }>('select count(*) as n from templates where account_id = $1', [account_id])).n;

export const findTemplatesByName = (
  sql: Queryable,
  asked: readonly { account_id: string; name: string }[],
): Promise<TemplateRow[]> =>
  sql.rows<TemplateRow>(
    `select ${ROW} from templates
     where (account_id, name) in (select * from unnest($1::uuid[], $2::text[]))`,
    [asked.map(({ account_id }) => account_id), asked.map(({ name }) => name)],
  );

const valuesOf = ({ name, texts, dlt }: Body) => [
  name,
  JSON.stringify(texts),
  dlt?.entity_id ?? null,
  dlt?.template_id ?? null,
];

/** Does nothing if the account already has a template of this name. */
export const insertTemplate = (
  tx: Tx,
  { id, account_id }: Key,
  body: Body,
): Promise<TemplateRow | undefined> =>
  tx.maybe<TemplateRow>(
    `insert into templates (id, account_id, name, texts, dlt_entity_id, dlt_template_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, clock_now(), clock_now())
     on conflict (account_id, name) do nothing returning ${ROW}`,
    [id, account_id, ...valuesOf(body)],
  );

export const updateTemplateRow = (
  tx: Tx,
  { id, account_id }: Key,
  body: Body,
): Promise<TemplateRow | undefined> =>
  tx.maybe<TemplateRow>(
    `update templates set name = $3, texts = $4, dlt_entity_id = $5, dlt_template_id = $6, version = version + 1,
       updated_at = clock_now()
     where id = $1 and account_id = $2 returning ${ROW}`,
    [id, account_id, ...valuesOf(body)],
  );

export const deleteTemplateRow = (tx: Tx, { id, account_id }: Key): Promise<number> =>
  tx.run('delete from templates where id = $1 and account_id = $2', [id, account_id]);

export const deleteTemplatesOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from templates where account_id = $1', [account_id]);
