/**
 * One busy customer's year, written with COPY: verifications with their history, ledger rows and request logs. The same seed
 * makes the same year, so several processes can write different tables in parallel.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { uuidText } from '../../server/src/platform/security/random.ts';
import { print } from '../harness/run.ts';

export interface Year {
  account_id: string;
  /** most used key first */
  api_key_ids: readonly string[];
  verifications: number;
  /** milliseconds since 1970 */
  from_ms: number;
  until_ms: number;
}

export const TABLES = ['verifications', 'ledger', 'status_history', 'request_logs'] as const;
type Table = (typeof TABLES)[number];

const COLUMNS: Record<Table, string> = {
  verifications: `account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, created_at, expires_at,
    sent_at, delivered_at, verified_at, carrier, provider_message_id, failure, closed_by, ip_address, country, verified_ip`,
  ledger: 'account_id, id, kind, reference, credits, description, created_at',
  status_history: 'account_id, otp_id, previous_status, new_status, changed_at, ip_address, notes',
  request_logs: `account_id, id, api_key_id, request_type, response_status_code, response_time_ms, credits_used, channel,
    recipient, otp_id, ip_address, reason, count, created_at`,
};

/** Fills tables, one after the other, in child processes. */
export async function fill(url: string, tables: readonly Table[], year: Year): Promise<void> {
  for (const table of tables) {
    const child = fork(import.meta.filename, [JSON.stringify({ url, table, year })]);
    child.on('message', (written) => {
      if (Number(written) % 1_000_000 === 0) print(`  ${table}: ${Number(written).toLocaleString('en-US')}`);
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`${table} could not be filled`);
  }
}

const FLUSH_CHARS = 1 << 20;

async function fillTable(
  url: string,
  table: Table,
  year: Year,
  onProgress: (written: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    const stream = client.query(copyFrom(`copy ${table} (${COLUMNS[table]}) from stdin`));
    const ended = once(stream, 'finish');
    let text = '';
    let written = 0;
    for (const life of livesOf(year)) {
      for (const row of ROWS[table](life, year)) text += `${row.map((value) => value ?? '\\N').join('\t')}\n`;
      if (++written % 50_000 === 0) onProgress(written);
      if (text.length < FLUSH_CHARS) continue;
      if (!stream.write(text)) await once(stream, 'drain');
      text = '';
    }
    stream.end(text);
    await ended;
  } finally {
    await client.end();
  }
}

type Value = string | number | undefined;
type End = 'verified' | 'expired' | 'undelivered' | 'attempts';

interface Life {
  id: string;
  api_key_id: string;
  channel: 'sms' | 'email' | 'voice';
  recipient: string;
  country: string | undefined;
  end: End;
  ip: string;
  created_ms: number;
  sent_ms: number;
  end_ms: number;
  wrong_tries: number;
  /** status code and reason of a refused request that accompanies it */
  refused: readonly [number, string] | undefined;
  /** derives the ids of related rows from number and time */
  idOf(thing: number, ms: number): string;
  send_ms: string;
  verify_ms: string;
}

const AREAS = ['212', '415', '305', '617', '206', '312', '713', '404', '503', '646'];
const REFUSALS = [
  [400, 'validation'],
  [400, 'recipient_opted_out'],
  [402, 'insufficient_credits'],
  [404, 'otp_not_found'],
  [429, 'rate_limited'],
  [500, 'internal'],
] as const;
/** A recipient has about four verifications a year. */
const VERIFICATIONS_EACH = 4;
const EXPIRES_MS = 300_000;

function* livesOf({ verifications, from_ms, until_ms, api_key_ids }: Year): Generator<Life> {
  const random = seeded(20_261_121);
  const step = (until_ms - from_ms) / verifications;
  const idBytes = Buffer.alloc(16);
  const makeId = (ms: number, high: number, low: number): string => {
    idBytes.writeUIntBE(ms, 0, 6);
    idBytes.writeUInt16BE(0x7000 | (high & 0xfff), 6);
    idBytes.writeUInt32BE(((Math.imul(low, 0x9e3779b1) >>> 2) | 0x80000000) >>> 0, 8);
    idBytes.writeUInt32BE(Math.imul(low + high, 0x85ebca6b) >>> 0, 12);
    return uuidText(idBytes);
  };
  for (let n = 0; n < verifications; n++) {
    const created_ms = Math.floor(from_ms + n * step);
    const who = Math.floor(random() * (verifications / VERIFICATIONS_EACH));
    const isMail = who % 5 === 0;
    const chance = random();
    const end =
      chance < 0.78 ? 'verified' : chance < 0.94 ? 'expired' : chance < 0.98 ? 'undelivered' : 'attempts';
    const sent_ms = created_ms + 20 + Math.floor(random() * 200);
    const wrong_tries = end === 'attempts' ? 5 : random() < 0.08 ? 1 : 0;
    const end_ms =
      end === 'expired' ? created_ms + EXPIRES_MS : sent_ms + 3_000 + Math.floor(random() * 60_000);
    yield {
      id: makeId(created_ms, 0, n),
      api_key_id: api_key_ids[Math.floor(random() ** 3 * api_key_ids.length)] ?? '',
      channel: isMail ? 'email' : who % 31 === 1 ? 'voice' : 'sms',
      recipient: isMail
        ? `user${who}@example.com`
        : `+1${AREAS[who % AREAS.length]}${2_000_000 + (who % 7_999_999)}`,
      country: isMail ? undefined : who % 400 === 3 ? 'CA' : 'US',
      end,
      ip: `203.0.113.${n % 250}`,
      created_ms,
      sent_ms,
      end_ms,
      wrong_tries,
      refused: random() < 0.06 ? REFUSALS[Math.floor(random() ** 2 * REFUSALS.length)] : undefined,
      idOf: (thing, ms) => makeId(ms, thing, n),
      send_ms: durationMs(random()),
      verify_ms: durationMs(random()),
    };
  }
}

/** Most responses take a few milliseconds, a few take much longer. */
const durationMs = (chance: number): string => (1.2 + 1.5 / (1 - chance * 0.9999) ** 0.7).toFixed(1);

/** The mulberry32 generator. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
const STATUS = {
  verified: 'verified',
  expired: 'expired',
  undelivered: 'failed',
  attempts: 'failed',
} as const;
const ROWS: Record<Table, (life: Life, year: Year) => Value[][]> = {
  verifications: (v, { account_id }) => [
    [
      account_id,
      v.id,
      v.api_key_id,
      v.channel,
      v.recipient,
      STATUS[v.end],
      v.end === 'undelivered' ? 0 : 1,
      6,
      iso(v.created_ms),
      iso(v.created_ms + EXPIRES_MS),
      iso(v.sent_ms),
      v.end === 'verified' ? iso(v.sent_ms + 1_500) : undefined,
      v.end === 'verified' ? iso(v.end_ms) : undefined,
      v.channel === 'email' ? 'smtp' : 'twilio',
      `SM${v.id.replaceAll('-', '')}`,
      v.end === 'undelivered' ? 'Undelivered: unreachable handset' : undefined,
      v.end === 'attempts' ? 'attempts' : undefined,
      v.ip,
      v.country,
      v.end === 'verified' ? v.ip : undefined,
    ],
  ],
  ledger: (v, { account_id }) => [
    [
      account_id,
      v.id,
      'usage',
      undefined,
      -1,
      v.channel === 'email'
        ? 'Email verification'
        : v.channel === 'sms'
          ? 'SMS verification'
          : 'Voice verification',
      iso(v.created_ms),
    ],
    ...(v.end === 'undelivered'
      ? [
          [
            account_id,
            v.idOf(2, v.end_ms),
            'refund',
            `refund:${v.id}`,
            1,
            'Refund: verification not delivered',
            iso(v.end_ms),
          ],
        ]
      : []),
  ],
  // Deliveries and right codes have no history rows. Readers take them from the verification.
  status_history: (v, { account_id }) =>
    v.end === 'verified'
      ? []
      : [
          [
            account_id,
            v.id,
            'sent',
            STATUS[v.end],
            iso(v.end_ms),
            undefined,
            v.end === 'undelivered' ? 'Undelivered: unreachable handset' : undefined,
          ],
        ],
  request_logs: (v, { account_id }) => {
    const row = (
      thing: number,
      ms: number,
      type: 'send_otp' | 'verify_otp',
      status: number,
      more: { took: string; credits?: number; reason?: string },
    ): Value[] => [
      account_id,
      v.idOf(thing, ms),
      v.api_key_id,
      type,
      status,
      more.took,
      more.credits ?? 0,
      v.channel,
      v.recipient,
      v.id,
      v.ip,
      more.reason,
      1,
      iso(ms),
    ];
    const rows = [row(10, v.created_ms, 'send_otp', 201, { took: v.send_ms, credits: 1 })];
    for (let wrong = 0; wrong < v.wrong_tries; wrong++)
      rows.push(
        row(20 + wrong, v.end_ms - 900 + wrong, 'verify_otp', 400, {
          took: v.verify_ms,
          reason: 'invalid_code',
        }),
      );
    if (v.end === 'verified') rows.push(row(30, v.end_ms, 'verify_otp', 200, { took: v.verify_ms }));
    if (v.refused)
      rows.push(row(40, v.created_ms, 'send_otp', v.refused[0], { took: v.send_ms, reason: v.refused[1] }));
    return rows;
  },
};

// A child process that fills one table.
if (import.meta.main) {
  const { url, table, year } = JSON.parse(process.argv[2] ?? '{}');
  await fillTable(url, table, year, (written) => process.send?.(written));
}
