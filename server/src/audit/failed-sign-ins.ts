/**
 * Counts failed sign-ins and step-ups in memory and writes them to the audit log within a second. If a response waited for the
 * write, its timing would reveal that the person exists. There is one entry per person, action, network and minute; once an
 * action has 60 such entries in an hour, further networks share one entry per minute. A failed sign-in with SSO belongs
 * to the account, and the person is unknown.
 */

import type { AuditAction } from '@sixdigit/contract/audit.ts';
import type { Db } from '../platform/db/sql.ts';
import type { Origin } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';

export type FailedAction = Extract<AuditAction, 'sign_in.fail' | 'step_up.fail'>;

export interface FailedSignIns {
  count(failure: FailedSignIn): void;
  flush(): Promise<void>;
}

export type FailedSignIn = Failed & (OfPerson | OfAccount);
type OfPerson = { person_id: string; of_account?: undefined };
type OfAccount = { person_id?: undefined; of_account: string };

interface Failed {
  /** defaults to a failed sign-in */
  action?: FailedAction | undefined;
  /** the reason, in readable form */
  subject: string;
  client: Origin & { network: string };
}

interface Counted {
  id: string;
  person_id: string | undefined;
  of_account: string | undefined;
  action: FailedAction;
  network: string;
  ip_address: string | null;
  user_agent: string | null;
  subject: string;
  count: number;
}

const FLUSH_MS = 1_000;
/** Bounds memory. Beyond this number, failures from further networks are not recorded until the next flush. */
const NETWORKS_MOST = 5_000;

export function createFailedSignIns({ db, log, random }: Needs<'db' | 'log' | 'random'>): FailedSignIns {
  let counted = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const failures = [...counted.values()];
    counted = new Map();
    if (failures.length > 0) await countFailures(db, failures);
  };
  const flushLater = () => {
    timer ??= setTimeout(() => {
      flush().catch((err: unknown) => log.warn({ err }, 'could not write failed sign-ins to the audit log'));
    }, FLUSH_MS).unref();
  };
  return {
    count({ person_id, of_account, action = 'sign_in.fail', subject, client }) {
      const { network, ip_address, user_agent } = client;
      const key = `${person_id} ${of_account} ${action} ${network}`;
      const one = counted.get(key);
      if (one) one.count += 1;
      else if (counted.size < NETWORKS_MOST)
        counted.set(key, {
          id: random.uuid(),
          person_id,
          of_account,
          action,
          network,
          ip_address,
          user_agent,
          subject,
          count: 1,
        });
      flushLater();
    },
    flush,
  };
}

const countFailures = (db: Db, failures: readonly Counted[]): Promise<number> =>
  db.run('select count_failed_sign_ins($1::json)', [JSON.stringify(failures)]);
