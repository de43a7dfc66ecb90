/**
 * The devices that a person signed in from. A device is a browser and an operating system in one wide network (/16 of IPv4,
 * /32 of IPv6), stored as a keyed hash. A sign-in from a new device sends a mail, unless it is the person's first device.
 */

import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import { type Config, pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Client } from './client.ts';

const MAILS_A_DAY = 5;
const KEPT = "interval '180 days'";

/** The parts of the platform that a sign-in needs. */
export type SignInApp = Needs<'random' | 'vault' | 'placeOf'> & {
  config: Pick<Config, 'publicUrl' | 'port'>;
};

/** Call it in the transaction of a sign-in. An attacker with the password can cause at most five mails a day. */
export async function noteDevice(tx: Tx, app: SignInApp, person_id: string, client: Client): Promise<void> {
  const device = deviceOf(client.user_agent);
  const traits = [person_id, device, client.networks[0] ?? ''].join('\n');
  const [device_hash, ...older] = app.vault.fingerprints('device', traits) as [Buffer, ...Buffer[]];
  const { is_new, others, mails_today } = await touchDevice(tx, person_id, device_hash, older);
  if (!is_new || others === 0 || mails_today >= MAILS_A_DAY) return;
  await markMailed(tx, person_id, device_hash);
  await notifyPerson(tx, app, person_id, {
    kind: 'newDevice',
    device,
    address: client.ip_address ?? 'an unknown address',
    place: app.placeOf(client.ip_address),
    activityUrl: pageUrl(app, '/settings/activity'),
  });
}

/** Of concurrent sign-ins from a new device, only one gets `is_new`. `older`: the device's hashes under the other server keys. */
const touchDevice = (tx: Tx, person_id: string, device_hash: Buffer, older: Buffer[]) =>
  tx.one<{ is_new: boolean; others: number; mails_today: number }>(
    `with noted as (
       insert into account_devices as d (person_id, device_hash, first_seen_at, last_seen_at)
       values ($1, $2, clock_now(), clock_now())
       on conflict on constraint account_devices_pkey do update set last_seen_at = excluded.last_seen_at
       returning xmax = 0 as is_new
     )
     select is_new and not exists (
         select from account_devices where person_id = $1 and device_hash = any ($3)) as is_new,
       (select count(*) from account_devices where person_id = $1 and device_hash <> $2) as others,
       (select count(*) from account_devices where person_id = $1
          and mailed_at > clock_now() - interval '24 hours') as mails_today
     from noted`,
    [person_id, device_hash, older],
  );

const markMailed = (tx: Tx, person_id: string, device_hash: Buffer): Promise<number> =>
  tx.run('update account_devices set mailed_at = clock_now() where person_id = $1 and device_hash = $2', [
    person_id,
    device_hash,
  ]);

export const deleteDevicesOf = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from account_devices where person_id = $1', [person_id]);

export const oldDevices = { table: 'account_devices', where: `last_seen_at <= clock_now() - ${KEPT}` };
