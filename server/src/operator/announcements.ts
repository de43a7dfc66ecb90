/** Banners that every customer sees in the dashboard. */

import type {
  Announcement,
  createAnnouncement,
  listAnnouncements,
} from '@sixdigit/contract/operator/announcements.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { containing, orderBy, pageOf } from '../platform/db/page.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { OperatorCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { recordAction } from './audit.ts';

type App = Needs<'db' | 'random'>;

export async function announcementsOf(
  sql: Queryable,
  query: Parsed<typeof listAnnouncements, 'query'>,
): Promise<{ results: Announcement[]; count: number }> {
  const text = containing(query.search);
  const { limit, offset } = pageOf(query);
  const where = '$1::text is null or n.text ilike $1';
  const { count } = await sql.one<{ count: number }>(`select count(*) from announcements n where ${where}`, [
    text,
  ]);
  const results = await sql.rows<Announcement>(
    `select ${SHOWN} from announcements n left join people a on a.id = n.operator_id where ${where}
     order by ${orderBy(query.ordering, { created_at: 'n.id', starts_at: 'n.starts_at' }, 'n.id')} limit $2 offset $3`,
    [text, limit, offset],
  );
  return { results, count };
}

export const announce = (
  app: App,
  by: OperatorCaller,
  { text, tone, starts_at, ends_at }: Parsed<typeof createAnnouncement, 'body'>,
): Promise<Announcement> =>
  app.db.transaction(async (tx) => {
    const id = app.random.uuid();
    await tx.run(
      `insert into announcements (id, text, tone, starts_at, ends_at, created_at, operator_id)
       values ($1, $2, $3, coalesce($4::timestamptz, clock_now()), $5, clock_now(), $6)`,
      [id, text, tone, starts_at ?? null, ends_at, by.person_id],
    );
    const made = await getAnnouncement(tx, id);
    if (made.ends_at !== null && made.ends_at <= made.created_at)
      throw new FieldErrors({ ends_at: ['The end must be in the future'] });
    await recordAction(tx, app, by, { action: 'announcement.create', subject: text, after: factsOf(made) });
    return made;
  });

/** Throws `not_found` if it does not exist or has ended. */
export const endAnnouncementOf = (app: App, by: OperatorCaller, id: string): Promise<Announcement> =>
  app.db.transaction(async (tx) => {
    if (!isUuid(id)) throw new Failure('not_found');
    const before = await tx.maybe<{ ends_at: string | null }>(
      `select ends_at from announcements where id = $1 and (ends_at is null or ends_at > clock_now()) for update`,
      [id],
    );
    if (!before) throw new Failure('not_found');
    await tx.run('update announcements set ends_at = clock_now() where id = $1', [id]);
    const ended = await getAnnouncement(tx, id);
    await recordAction(tx, app, by, {
      action: 'announcement.end',
      subject: ended.text,
      before,
      after: { ends_at: ended.ends_at },
    });
    return ended;
  });

const factsOf = ({ tone, starts_at, ends_at }: Announcement) => ({ tone, starts_at, ends_at });

export interface ShownAnnouncement {
  id: string;
  text: string;
  tone: Announcement['tone'];
}

const SHOWN_MOST = 3;

/** The announcements that customers see now, the newest first. */
export const shownAnnouncements = (sql: Queryable): Promise<ShownAnnouncement[]> =>
  sql.rows<ShownAnnouncement>(
    `select id, text, tone from announcements
     where starts_at <= clock_now() and (ends_at is null or ends_at > clock_now()) order by id desc limit ${SHOWN_MOST}`,
  );

// ── statements ──

const SHOWN = `n.id, n.text, n.tone, n.starts_at, n.ends_at, n.created_at, coalesce(a.email, '') as created_by,
  n.starts_at <= clock_now() and (n.ends_at is null or n.ends_at > clock_now()) as is_shown`;

const getAnnouncement = (tx: Tx, id: string): Promise<Announcement> =>
  tx.one<Announcement>(
    `select ${SHOWN} from announcements n left join people a on a.id = n.operator_id where n.id = $1`,
    [id],
  );
