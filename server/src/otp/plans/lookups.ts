import { factsOf } from '@sixdigit/contract/channels.ts';
import type { Needs } from '../../platform/platform.ts';
import { lookupBatcher } from '../../platform/queue/batcher.ts';
import { isTestUnreachable } from '../test-mode/test-mode.ts';
import { findUnreachable, type Reached } from '../unreachable.ts';
import { type AccountPlans, selectAccountPlans } from './queries.ts';

/** What sends with a plan read first. */
export interface PlanLookups {
  /** Whether a carrier said within three days that the channel does not reach the recipient. A test key plays it. */
  isUnreachable(asked: Reached & { is_test: boolean }): Promise<boolean>;
  /** Undefined if the account has set no plan. */
  of(account_id: string): Promise<AccountPlans | undefined>;
}

/** Looks up for concurrent sends together, on the connections that sends have for themselves. */
export function createPlanLookups({ db, vault }: Needs<'db' | 'vault'>): PlanLookups {
  const unreachable = lookupBatcher((asked: Reached[]) => findUnreachable(db.reserve, { vault }, asked));
  const plans = lookupBatcher((ids: string[]) => selectAccountPlans(db.reserve, ids));
  return {
    async isUnreachable({ channel, recipient, is_test }) {
      if (is_test) return isTestUnreachable(channel, recipient);
      return factsOf(channel).format === 'fixed' && unreachable.submit({ channel, recipient });
    },
    of: (account_id) => plans.submit(account_id),
  };
}
