import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type Db, openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import type { HttpCarrierFake } from '../../server/test/fakes/http-carrier.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { type Fleet, startCarrier, startService } from '../harness/processes.ts';
import { type Recorder, startRecorder, verifyArrivals } from '../harness/recorder.ts';
import type { Cluster } from './cluster.ts';

/**
 * The service on the cluster: an API and a worker that connect through PgBouncer, and an API and a worker that connect without it.
 * Everything that any scenario acknowledged stays recorded, so every audit also covers the faults before.
 */
export class Service {
  readonly fleet: Fleet;
  readonly carrier: HttpCarrierFake;
  readonly people: readonly Account[];
  /** a pool on the current primary */
  readonly db: Db;
  readonly acknowledged: Recorder['acknowledged'] = new Map();
  readonly verified: Recorder['verified'] = new Set();
  #loads = 0;

  private constructor(parts: Pick<Service, 'fleet' | 'carrier' | 'people' | 'db'>) {
    this.fleet = parts.fleet;
    this.carrier = parts.carrier;
    this.people = parts.people;
    this.db = parts.db;
  }

  static async start(cleanup: AsyncDisposableStack, cluster: Cluster): Promise<Service> {
    await migrate(cluster.pooledUrl);
    const people = await fillAccounts(cluster.directUrl, { accounts: 40, keysEach: 1 });
    const carrier = await startCarrier(cleanup);
    const one = { carrier, apis: 1, workers: 1 };
    const [pooled, direct] = await Promise.all([
      startService(cleanup, { ...one, url: cluster.pooledUrl, firstPort: FIRST_PORT }),
      startService(cleanup, { ...one, url: cluster.directUrl, firstPort: FIRST_PORT + 1, env: PUBLIC_URL }),
    ]);
    const fleet: Fleet = {
      apis: [...pooled.apis, ...direct.apis],
      workers: [...pooled.workers, ...direct.workers],
      get problems() {
        return new Map([...pooled.problems, ...direct.problems]);
      },
      stop: async () => {
        await Promise.all([pooled.stop(), direct.stop()]);
      },
    };
    const db = openDb({ url: cluster.directUrl, log: createLog('fatal'), max: 2 });
    cleanup.defer(() => db.close());
    return new Service({ fleet, carrier, people, db });
  }

  get ports(): number[] {
    return this.fleet.apis.map(({ port }) => port);
  }

  /** Sends and verifies steadily. `stop` waits for outstanding responses. */
  startLoad(perSecond: number): { recorder: Recorder; stop(): Promise<void> } {
    const stopping = new AbortController();
    const { ports, people } = this;
    const { recorder, done } = startRecorder(ports, people, perSecond, stopping.signal, {
      first: 20_000 * this.#loads++,
    });
    // Earlier messages were acknowledged to another recorder.
    const from = this.carrier.messages.length;
    const load = { recorder, ports, stop: stopping.signal, from };
    const verifying = verifyArrivals(this.carrier, load);
    const stop = async () => {
      stopping.abort();
      await Promise.all([done, verifying]);
      for (const [id, one] of recorder.acknowledged) this.acknowledged.set(id, one);
      for (const id of recorder.verified) this.verified.add(id);
    };
    return { recorder, stop };
  }
}

const FIRST_PORT = 31_200;
/** Both APIs are one service. */
const PUBLIC_URL = { PUBLIC_URL: `http://127.0.0.1:${FIRST_PORT}` };
