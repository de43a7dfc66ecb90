/**
 * The authenticator app of a person, stored with a sealed secret. An enrolment is pending until the app's first code is
 * entered; a person who already has an app cannot start one. Each code is accepted once, because the update requires a later
 * time step than that of the last accepted code.
 */

import { Secret, TOTP } from 'otpauth';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';

type App = Needs<'vault' | 'random' | 'config'>;

/** An unconfirmed enrolment expires after this time. */
const ENROLMENT = "interval '30 minutes'";

/** Undefined if the person already has an app. */
export async function enrol(
  tx: Tx,
  app: App,
  { person_id, email }: { person_id: string; email: string },
): Promise<{ uri: string; secret: string } | undefined> {
  const secret = app.random.bytes(SECRET_BYTES);
  const stored = await tx.run(
    `insert into authenticators as a (person_id, sealed, created_at) values ($1, $2, clock_now())
     on conflict on constraint authenticators_pkey do update set sealed = excluded.sealed, created_at = excluded.created_at, last_step = 0
     where a.confirmed_at is null`,
    [person_id, app.vault.seal(secret.toString('hex'), sealOf(person_id))],
  );
  return stored === 1 ? enrolmentOf(secret, { issuer: app.config.brandName, label: email }) : undefined;
}

interface Row {
  sealed: Buffer;
  now_ms: number;
}

const NOW_MS = 'floor(extract(epoch from clock_now()) * 1000)::bigint as now_ms';

/** True for the one request that enters the first code of a pending enrolment. */
export async function confirmEnrolment(
  tx: Tx,
  app: Needs<'vault'>,
  { person_id, code }: { person_id: string; code: string },
): Promise<boolean> {
  const pending = await tx.maybe<Row>(
    `select sealed, ${NOW_MS} from authenticators
     where person_id = $1 and confirmed_at is null and created_at > clock_now() - ${ENROLMENT}`,
    [person_id],
  );
  const step = pending && stepOf(app, person_id, pending, code);
  if (!pending || step === undefined) return false;
  return (
    (await tx.run(
      `update authenticators set confirmed_at = clock_now(), last_step = $3, last_used_at = clock_now()
       where person_id = $1 and confirmed_at is null and sealed = $2`,
      [person_id, pending.sealed, step],
    )) === 1
  );
}

/** True if the code is right. Of concurrent requests with the same code, one gets true. */
export async function acceptAuthenticatorCode(
  tx: Tx,
  app: Needs<'vault'>,
  { person_id, code }: { person_id: string; code: string },
): Promise<boolean> {
  const row = await tx.maybe<Row>(
    `select sealed, ${NOW_MS} from authenticators where person_id = $1 and confirmed_at is not null`,
    [person_id],
  );
  const step = row && stepOf(app, person_id, row, code);
  if (!row || step === undefined) return false;
  return (
    (await tx.run(
      `update authenticators set last_step = $3, last_used_at = clock_now()
       where person_id = $1 and sealed = $2 and confirmed_at is not null and last_step < $3`,
      [person_id, row.sealed, step],
    )) === 1
  );
}

const stepOf = (app: Needs<'vault'>, person_id: string, { sealed, now_ms }: Row, code: string) =>
  stepOfCode(Buffer.from(app.vault.open(sealed, sealOf(person_id)), 'hex'), code, now_ms);

const sealOf = (person_id: string): string => `authenticator:${person_id}`;

export const selectAuthenticator = (sql: Queryable, person_id: string) =>
  sql.maybe<{ created_at: string; last_used_at: string | null }>(
    `select confirmed_at as created_at, last_used_at from authenticators
     where person_id = $1 and confirmed_at is not null`,
    [person_id],
  );

/** Also removes a pending enrolment. Returns the number of removed apps that were confirmed. */
export const deleteAuthenticator = async (tx: Tx, person_id: string): Promise<number> =>
  (
    await tx.rows<{ worked: boolean }>(
      'delete from authenticators where person_id = $1 returning confirmed_at is not null as worked',
      [person_id],
    )
  ).filter(({ worked }) => worked).length;

export const oldEnrolments = {
  table: 'authenticators',
  where: `confirmed_at is null and created_at <= clock_now() - ${ENROLMENT}`,
};

/** RFC 6238 with SHA-1, six digits and thirty seconds, because every authenticator app supports these parameters. */
const PERIOD_SECONDS = 30;
/** Accepts the previous and the next code too (RFC 6238, 5.2), because clocks differ. */
const WINDOW = 1;
/** RFC 4226, section 4, recommends 160 bits. */
const SECRET_BYTES = 20;

const totpOf = (secret: Buffer, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...names,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  });

/** The time step of the code; undefined if no time step near `nowMs` has this code. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

/** The URI for the QR code, and the secret for users who type it. */
export function enrolmentOf(
  secret: Buffer,
  names: { issuer: string; label: string },
): { uri: string; secret: string } {
  const totp = totpOf(secret, names);
  return { uri: totp.toString(), secret: totp.secret.base32 };
}
