import { z } from 'zod';
import { time } from '../field.ts';
import { OperatorCarriers } from './carriers.ts';
import { supportRoute } from './operator.ts';
import { ShrunkRetention } from './retention.ts';

const Traffic = z
  .object({
    sends: z.number().int(),
    refused_sends: z.number().int(),
    verified: z.number().int(),
    wrong_codes: z.number().int(),
    delivered: z.number().int().meta({ description: 'Messages that carriers reported as delivered' }),
    undelivered: z.number().int().meta({ description: 'Messages that carriers reported as not delivered' }),
  })
  .meta({ description: 'Excluding requests with test keys' });

export const Overview = OperatorCarriers.extend({
  version: z.string(),
  public_url: z.string().nullable().meta({
    description: 'PUBLIC_URL; null if it is not set, or is an address of this machine alone',
  }),
  versions: z.object({ node: z.string(), postgresql: z.string() }),
  last_minute: Traffic,
  last_hour: Traffic,
  minutes: z.array(z.object({ at: time, sends: z.number().int(), verified: z.number().int() })).meta({
    description: 'The last 60 minutes, oldest first',
  }),
  workers: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      started_at: time,
      seen_at: time,
      is_alive: z.boolean(),
    }),
  ),
  failed_jobs: z
    .array(
      z.object({
        name: z.string(),
        failures: z
          .number()
          .int()
          .meta({ description: 'Failures since the job last went a day without one' }),
        last_failed_at: time,
        last_error: z.string(),
      }),
    )
    .meta({ description: 'Worker jobs that failed in the last day. Failed jobs are retried' }),
  webhooks: z.object({
    waiting: z.number().int(),
    oldest_seconds: z.number(),
    retrying: z
      .number()
      .int()
      .meta({ description: 'Messages that an endpoint has not accepted; part of waiting' }),
    retrying_endpoints: z.number().int().meta({ description: 'Endpoints of these messages' }),
  }),
  notices_waiting: z.number().int(),
  database: z.object({
    bytes: z.number().int(),
    bytes_a_day_ago: z.number().int().nullable(),
    connections: z.number().int(),
    disk_free_bytes: z.number().int().nullable().meta({
      description: 'Free space on the disk of the database; null if this process cannot read it',
    }),
  }),
  accounts: z.object({ all: z.number().int(), suspended: z.number().int(), new_24_hours: z.number().int() }),
  shrunk_retention: z.array(ShrunkRetention).meta({
    description: 'Retention settings that wait for a confirmation',
  }),
  open_disputes: z.number().int(),
  unmatched_payments: z.number().int().meta({ description: 'Payments that are due a refund' }),
});
export type Overview = z.infer<typeof Overview>;
export const getOverview = supportRoute('overview:read', 'GET /operator/overview/', {
  name: 'getOverview',
  summary: 'Current state of the deployment',
  reply: Overview,
});

export const Finding = z.object({
  level: z.enum(['ok', 'warning', 'problem']),
  about: z.string(),
  says: z.string(),
  advice: z.string().nullable(),
});
export type Finding = z.infer<typeof Finding>;
export const examineDeployment = supportRoute('overview:read', 'GET /operator/doctor/', {
  name: 'examineDeployment',
  summary: 'Run the doctor and return its findings with advice; takes up to 25 seconds',
  reply: z.object({ findings: z.array(Finding) }),
});
