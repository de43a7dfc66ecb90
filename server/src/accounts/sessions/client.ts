import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { networkOf } from '../../platform/addresses/ip-network.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import { originOf } from '../../platform/http/client-address.ts';
import type { Origin } from '../../platform/http/serve.ts';

/** The network origin of a request. */
export interface Client extends Origin {
  /** The unit of rate limits: one IPv4 address, or one IPv6 /64, because a host can choose any address in it. */
  network: string;
  /** The unit of known networks: an IPv4 /24 or an IPv6 /56. Null without an address. */
  home: string | null;
  /**
   * The nested networks that the hash queue shares turns between, widest first: /16, /24, /32 of IPv4; /32, /48, /56, /64 of
   * IPv6.
   */
  networks: readonly string[];
}

const HOME = { ipv4: 24, ipv6: 56 } as const;
const NESTED = { ipv4: [16, 24, 32], ipv6: [32, 48, 56, 64] } as const;

export function clientOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const origin = originOf(request);
  const address = origin.ip_address === null ? undefined : ipaddr.parse(origin.ip_address);
  return {
    ...origin,
    network: networkOf(origin.ip_address),
    home: address ? prefixOf(address, HOME[address.kind()]) : null,
    networks: address ? NESTED[address.kind()].map((bits) => prefixOf(address, bits)) : ['unknown'],
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function prefixOf(address: Address, bits: number): string {
  const bytes = address
    .toByteArray()
    .map((byte, n) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * n))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/**
 * The networks that a person signed in from. Their limits are counted separately, so strangers cannot exhaust them: the owner's
 * right password, code or link is never refused because of other clients.
 */
const BATCH_SIZE = 20;
const KEPT = "interval '90 days'";

/** The client's network, if the person signed in from it within ninety days; otherwise null. */
export const knownHome = async (
  sql: Queryable,
  person_id: string | null,
  { home }: Pick<Client, 'home'>,
): Promise<string | null> =>
  (await sql.maybe(
    `select 1 from account_networks where person_id = $1 and network = $2::inet and ${LIVES}`,
    [person_id, home],
  )) === undefined
    ? null
    : home;

export const LIVES = `last_seen_at > clock_now() - ${KEPT}`;

/** Call it after a sign-in. The twenty networks that a person used last are kept. */
export async function rememberNetwork(
  tx: Tx,
  person_id: string,
  { home }: Pick<Client, 'home'>,
): Promise<void> {
  if (home === null) return;
  await tx.run(
    `insert into account_networks (person_id, network, first_seen_at, last_seen_at)
     values ($1, $2, clock_now(), clock_now())
     on conflict on constraint account_networks_pkey do update set last_seen_at = excluded.last_seen_at`,
    [person_id, home],
  );
  await tx.run(
    `delete from account_networks where person_id = $1 and network in (
       select network from account_networks where person_id = $1 and network in (
         select network from account_networks where person_id = $1 order by last_seen_at desc offset ${BATCH_SIZE})
       for update skip locked)`,
    [person_id],
  );
}

/** Updates the network's last use when a session is refreshed from it, at most once a day. */
export const touchNetwork = (sql: Sql, person_id: string, { home }: Pick<Client, 'home'>): Promise<number> =>
  sql.run(
    `update account_networks set last_seen_at = clock_now()
     where person_id = $1 and network = $2::inet and ${LIVES} and last_seen_at < clock_now() - interval '1 day'`,
    [person_id, home],
  );

export const deleteNetworksOf = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from account_networks where person_id = $1', [person_id]);

export const oldNetworks = { table: 'account_networks', where: `last_seen_at <= clock_now() - ${KEPT}` };
