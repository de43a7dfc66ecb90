import { z } from 'zod';
import { changesBetween } from '../../audit/audit.ts';
import {
  type BucketRow,
  deleteBucket,
  deleteRateLimit,
  findBucket,
  findRateLimit,
  insertBucket,
  insertRateLimit,
  type RateLimitRow,
  selectBuckets,
  selectRateLimits,
  updateBucket,
  updateRateLimit,
} from '../../limits/limits.ts';
import type { Server } from '../../platform/http/serve.ts';
import { notFound, TwilioError } from './errors.ts';
import { integer, parse, text } from './fields.ts';
import { pageOfWhole } from './pages.ts';
import { serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import { keepService, lockOwner, type ServiceRow } from './service-queries.ts';
import { serviceOf } from './services.ts';
import { changing } from './setting-changes.ts';
import { idOfSid, sidOf, timeOf } from './sids.ts';

/** A send counts in each bucket of each rate limit that it names, so these bound its rows. */
const RATE_LIMITS_MAX = 10;
const BUCKETS_MAX = 5;
const DAY_SECONDS = 86_400;
const REQUESTS_MAX = 1_000_000;

const NAME = 'must have letters, numbers, dashes and underscores';
const UNIQUE_NAME = text(64).regex(/^[\w-]+$/, NAME);
const DESCRIPTION = text(255).optional();
const NEW_RATE_LIMIT = z.object({ UniqueName: UNIQUE_NAME, Description: DESCRIPTION });
const RATE_LIMIT = z.object({ Description: DESCRIPTION });
const NEW_BUCKET = z.object({ Max: integer(1, REQUESTS_MAX), Interval: integer(1, DAY_SECONDS) });
const BUCKET = NEW_BUCKET.partial();

const full = (code: number, message: string, reason: string): TwilioError =>
  new TwilioError([400, code], message, { reason });

interface OfService {
  service: ServiceRow;
  rateLimit: RateLimitRow;
}

/** The rate limit in the path. Throws 20404. */
async function rateLimitOf(app: TwilioApp, call: TwilioCall): Promise<OfService> {
  const service = await serviceOf(app, call);
  const id = idOfSid('RK', call.params.limit ?? '');
  const rateLimit = id && (await findRateLimit(app.db, { service_id: service.id, id }));
  if (!rateLimit) throw notFound('rate_limit_not_found');
  return { service, rateLimit };
}

/** The bucket in the path. Throws 20404. */
async function bucketOf(app: TwilioApp, call: TwilioCall): Promise<OfService & { bucket: BucketRow }> {
  const its = await rateLimitOf(app, call);
  const id = idOfSid('BL', call.params.bucket ?? '');
  const bucket = id && (await findBucket(app.db, { rate_limit_id: its.rateLimit.id, id }));
  if (!bucket) throw notFound('bucket_not_found');
  return { ...its, bucket };
}

/** The audit entry of a change to a rate limit or its buckets. */
const changeOf = ({ friendly_name }: ServiceRow, { unique_name }: RateLimitRow) =>
  ({ action: 'verify_service.change', subject: `${friendly_name}, rate limit ${unique_name}` }) as const;
const BUCKET_FIELDS = ['most', 'interval_seconds'] as const;
const bucketValues = ({ most, interval_seconds }: BucketRow) => ({ most, interval_seconds });

export function rateLimitRoutes(server: Server, app: TwilioApp): void {
  const all = '/v2/Services/:service/RateLimits';
  serveTwilio(server, app, { method: 'POST', path: all, like: 'settings', status: 201 }, async (call) => {
    const given = parse(NEW_RATE_LIMIT, call.fields);
    return shown(call, await createRateLimit(app, call, given));
  });
  serveTwilio(server, app, { method: 'GET', path: all, like: 'read' }, async (call) => {
    const rows = await selectRateLimits(app.db, (await serviceOf(app, call)).id);
    return pageOfWhole(
      call,
      'rate_limits',
      rows.map((row) => shown(call, row)),
    );
  });
  const path = `${all}/:limit`;
  serveTwilio(server, app, { method: 'GET', path, like: 'read' }, async (call) =>
    shown(call, (await rateLimitOf(app, call)).rateLimit),
  );
  serveTwilio(server, app, { method: 'POST', path, like: 'settings' }, async (call) => {
    const { Description } = parse(RATE_LIMIT, call.fields);
    const { service, rateLimit } = await rateLimitOf(app, call);
    const row = await changing(app, call, async (tx, log) => {
      const before = await findRateLimit(tx, rateLimit);
      const after = await updateRateLimit(tx, rateLimit, Description);
      if (!before || !after) throw notFound('rate_limit_not_found');
      const changes = changesBetween(before, after, ['description']);
      if (changes) await log({ ...changeOf(service, rateLimit), ...changes });
      return after;
    });
    return shown(call, row);
  });
  serveTwilio(server, app, { method: 'DELETE', path, like: 'settings' }, async (call) => {
    const { service, rateLimit } = await rateLimitOf(app, call);
    await changing(app, call, async (tx, log) => {
      if ((await deleteRateLimit(tx, rateLimit)) > 0)
        await log({ ...changeOf(service, rateLimit), before: { unique_name: rateLimit.unique_name } });
    });
    return undefined;
  });
}

async function createRateLimit(
  app: TwilioApp,
  call: TwilioCall,
  { UniqueName: unique_name, Description: description = '' }: z.output<typeof NEW_RATE_LIMIT>,
): Promise<RateLimitRow> {
  const service = await serviceOf(app, call);
  const { account_id, id: service_id } = service;
  const row = await changing(app, call, async (tx, log) => {
    await lockOwner(tx, service_id);
    if ((await selectRateLimits(tx, service_id)).length >= RATE_LIMITS_MAX)
      throw full(60207, 'Max rate limits per service reached', 'rate_limit_limit_reached');
    const id = app.random.uuid();
    if (!(await keepService(tx, service_id))) throw notFound('service_not_found');
    const made = await insertRateLimit(tx, { id, account_id, service_id, unique_name, description });
    if (made) await log({ ...changeOf(service, made), after: { unique_name, description } });
    return made;
  });
  if (!row) throw full(60200, 'Invalid parameter `UniqueName`: already exists', 'unique_name_taken');
  return row;
}

export function bucketRoutes(server: Server, app: TwilioApp): void {
  const all = '/v2/Services/:service/RateLimits/:limit/Buckets';
  serveTwilio(server, app, { method: 'POST', path: all, like: 'settings', status: 201 }, async (call) => {
    const { Max, Interval } = parse(NEW_BUCKET, call.fields);
    const { service, rateLimit } = await rateLimitOf(app, call);
    const row = await changing(app, call, async (tx, log) => {
      await lockOwner(tx, rateLimit.id);
      if ((await selectBuckets(tx, rateLimit.id)).length >= BUCKETS_MAX)
        throw full(60210, 'Max Buckets per Rate limit reached', 'bucket_limit_reached');
      const { account_id, id: rate_limit_id } = rateLimit;
      const id = app.random.uuid();
      const made = await insertBucket(tx, {
        id,
        account_id,
        rate_limit_id,
        most: Max,
        interval_seconds: Interval,
      });
      if (made) await log({ ...changeOf(service, rateLimit), after: bucketValues(made) });
      return made;
    });
    if (!row) throw notFound('rate_limit_not_found');
    return shownBucket(call, service, row);
  });
  serveTwilio(server, app, { method: 'GET', path: all, like: 'read' }, async (call) => {
    const { service, rateLimit } = await rateLimitOf(app, call);
    const rows = await selectBuckets(app.db, rateLimit.id);
    return pageOfWhole(
      call,
      'buckets',
      rows.map((row) => shownBucket(call, service, row)),
    );
  });
  const path = `${all}/:bucket`;
  serveTwilio(server, app, { method: 'GET', path, like: 'read' }, async (call) => {
    const { service, bucket } = await bucketOf(app, call);
    return shownBucket(call, service, bucket);
  });
  serveTwilio(server, app, { method: 'POST', path, like: 'settings' }, async (call) => {
    const { Max, Interval } = parse(BUCKET, call.fields);
    const { service, rateLimit, bucket } = await bucketOf(app, call);
    const row = await changing(app, call, async (tx, log) => {
      const before = await findBucket(tx, bucket);
      const after = await updateBucket(tx, bucket, { most: Max, interval_seconds: Interval });
      if (!before || !after) throw notFound('bucket_not_found');
      const changes = changesBetween(before, after, BUCKET_FIELDS);
      if (changes) await log({ ...changeOf(service, rateLimit), ...changes });
      return after;
    });
    return shownBucket(call, service, row);
  });
  serveTwilio(server, app, { method: 'DELETE', path, like: 'settings' }, async (call) => {
    const { service, rateLimit, bucket } = await bucketOf(app, call);
    await changing(app, call, async (tx, log) => {
      if ((await deleteBucket(tx, bucket)) > 0)
        await log({ ...changeOf(service, rateLimit), before: bucketValues(bucket) });
    });
    return undefined;
  });
}

const timesOf = (row: { created_at: string; updated_at: string }) => ({
  date_created: timeOf(row.created_at),
  date_updated: timeOf(row.updated_at),
});

function shown({ base }: TwilioCall, row: RateLimitRow): object {
  const [sid, service_sid] = [sidOf('RK', row.id), sidOf('VA', row.service_id)];
  const url = `${base}/v2/Services/${service_sid}/RateLimits/${sid}`;
  return {
    sid,
    service_sid,
    account_sid: sidOf('AC', row.account_id),
    unique_name: row.unique_name,
    description: row.description,
    ...timesOf(row),
    url,
    links: { buckets: `${url}/Buckets` },
  };
}

function shownBucket({ base }: TwilioCall, service: ServiceRow, row: BucketRow): object {
  const [sid, rate_limit_sid] = [sidOf('BL', row.id), sidOf('RK', row.rate_limit_id)];
  const service_sid = sidOf('VA', service.id);
  return {
    sid,
    rate_limit_sid,
    service_sid,
    account_sid: sidOf('AC', row.account_id),
    max: row.most,
    interval: row.interval_seconds,
    ...timesOf(row),
    url: `${base}/v2/Services/${service_sid}/RateLimits/${rate_limit_sid}/Buckets/${sid}`,
  };
}
