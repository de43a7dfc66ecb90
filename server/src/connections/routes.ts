import { listConnections } from '@sixdigit/contract/connection-list.ts';
import {
  createConnection,
  deleteConnection,
  rotateConnection,
  testConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { every } from '../platform/http/every.ts';
import { type LocksMembers, type Server, serve } from '../platform/http/serve.ts';
import {
  changeConnection,
  connect,
  connectionsOf,
  disconnect,
  rotateConnectionSecret,
} from './connections.ts';
import { type InboundApp, inboundRoutes } from './inbound.ts';
import { type PlayApp, playRequest } from './play.ts';
import { createProblemCounts } from './problems.ts';

type App = Omit<InboundApp, 'problems'> & PlayApp & LocksMembers;

const WRITE_MS = 1_000;

export function connectionRoutes(server: Server, app: App): void {
  serve(server, listConnections, ({ caller }) =>
    withinListLimits(app.db, caller.account_id, (db) => connectionsOf(app, db, caller.account_id)),
  );
  serve(server, createConnection, ({ caller, body }) => connect(app, caller, body));
  serve(server, updateConnection, ({ caller, params, body }) =>
    changeConnection(app, caller, params.id, body),
  );
  serve(server, rotateConnection, ({ caller, params, body }) =>
    rotateConnectionSecret(app, caller, params.id, body.valid_hours),
  );
  serve(server, deleteConnection, async ({ caller, params }) => {
    await disconnect(app, caller, params.id);
    return undefined;
  });
  serve(server, testConnection, ({ caller, params, body }) =>
    playRequest(app, server, caller, { id: params.id, ...body }),
  );

  const problems = createProblemCounts();
  inboundRoutes(server, { ...app, problems });
  const write = () => problems.write(app.db, app.clock.now()).catch(() => undefined);
  every(server, WRITE_MS, write, { atClose: true });
}
