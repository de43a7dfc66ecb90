import { getOperatorWorstDay } from '@sixdigit/contract/operator/protection.ts';
import {
  type DeploymentWorstDay,
  LARGEST_ACCOUNTS,
  type PlayedCampaign,
  WORST_DAY_SEED,
  type WorstDay,
} from '@sixdigit/contract/protection/protection.ts';
import { selectBiggestSpenders } from '../../credits/credits.ts';
import { playWorstDayOf, type WorstDayApp } from '../../otp/otp.ts';
import { type Server, serve } from '../../platform/http/serve.ts';

/** Plays the worst days of the largest accounts, one after the other. Calls that arrive meanwhile get the same result. */
export function worstDayRoutes(server: Server, app: WorstDayApp): void {
  let playing: Promise<DeploymentWorstDay> | undefined;
  serve(server, getOperatorWorstDay, () => {
    playing ??= playLargest(app).finally(() => {
      playing = undefined;
    });
    return playing;
  });
}

async function playLargest(app: WorstDayApp): Promise<DeploymentWorstDay> {
  const days: WorstDay[] = [];
  for (const { account_id } of await selectBiggestSpenders(app.db, LARGEST_ACCOUNTS))
    days.push(await playWorstDayOf(app, account_id, { seed: WORST_DAY_SEED, with_changes: false }));
  return summed(days);
}

/** A campaign attacks all accounts on the same day, so its figures add up. */
function summed(days: readonly WorstDay[]): DeploymentWorstDay {
  const campaigns = (days[0]?.campaigns ?? []).map(({ name }) =>
    days.flatMap((day) => day.campaigns.find((one) => one.name === name) ?? []).reduce(added),
  );
  const most = (of: 'cost_cents' | 'without_rules_cents' | 'users_refused' | 'known_refused'): number =>
    Math.max(0, ...campaigns.map((one) => one[of]));
  return {
    accounts: days.length,
    cost_cents: most('cost_cents'),
    without_rules_cents: most('without_rules_cents'),
    users_refused: most('users_refused'),
    known_refused: most('known_refused'),
    campaigns,
  };
}

function added(one: PlayedCampaign, other: PlayedCampaign): PlayedCampaign {
  const refused = new Map(one.refused_by.map(({ by, sends }) => [by, sends]));
  for (const { by, sends } of other.refused_by) refused.set(by, (refused.get(by) ?? 0) + sends);
  return {
    name: one.name,
    country: one.country === other.country ? one.country : null,
    sends: one.sends + other.sends,
    got_through: one.got_through + other.got_through,
    cost_cents: one.cost_cents + other.cost_cents,
    without_rules_cents: one.without_rules_cents + other.without_rules_cents,
    users_refused: one.users_refused + other.users_refused,
    known_refused: one.known_refused + other.known_refused,
    refused_by: [...refused]
      .map(([by, sends]) => ({ by, sends }))
      .sort((a, b) => b.sends - a.sends || (a.by < b.by ? -1 : 1)),
  };
}
