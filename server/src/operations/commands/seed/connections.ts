import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import { CONNECTION_SCOPES, hashOfKey } from '../../../api-keys/api-keys.ts';
import { newSealedSecret } from '../../../connections/connections.ts';
import type { Needs } from '../../../platform/platform.ts';
import { bytea, type History, idAt } from './history.ts';
import { CONNECTED } from './story.ts';

/** The demo account's connections: one that works, and one whose last request was refused. */
export interface SeedConnection {
  id: string;
  name: string;
  system: SystemName;
  created_at: Date;
  key: ReturnType<typeof keyOf>;
}

const DAY_MS = 86_400_000;

export const connectionsOf = (
  app: Needs<'clock' | 'random'>,
  account_id: string,
): readonly SeedConnection[] => {
  const now = app.clock.now().getTime();
  return CONNECTED.map(({ name, system, days }) => {
    const created_at = new Date(now - days * DAY_MS);
    const key = keyOf(app, { account_id, name, created_at });
    return { id: idAt(created_at), name, system, created_at, key };
  });
};

/** A connection's key is only ever used by the connection, so its text is not kept. */
const keyOf = (app: Needs<'random'>, key: { account_id: string; name: string; created_at: Date }) => ({
  ...key,
  id: idAt(key.created_at),
  kind: 'connection',
  mode: 'live',
  scopes: CONNECTION_SCOPES,
  prefix: '',
  hash: bytea(hashOfKey(app.random.bytes(32).toString('hex'))),
  created_by: key.account_id,
  deleted_at: null,
});

export const connectionRows = (
  app: Needs<'clock' | 'random' | 'vault'>,
  connections: readonly SeedConnection[],
  { request_logs }: History,
): object[] =>
  connections.map(({ id, system, created_at, key }) => {
    const refused = request_logs.findLast(({ api_key_id, reason }) => api_key_id === key.id && reason);
    return {
      id,
      account_id: key.account_id,
      api_key_id: key.id,
      key_hash: key.hash,
      system,
      secret: bytea(newSealedSecret(app, { id, system })),
      created_at,
      wrong_signatures: 0,
      last_error: refused?.reason ?? null,
      last_error_at: refused?.created_at ?? null,
    };
  });
