import type { Campaign, PlayedCampaign, WorstDay } from '@sixdigit/contract/protection/protection.ts';
import type { Needs } from '../../platform/platform.ts';
import { kindOfCover } from '../lists.ts';
import { type Bounds, boundsWith, policyOf } from '../policy.ts';
import { DEPLOYMENT, findSettings, type SettingsRow } from '../queries.ts';
import { candidatesOf } from './changes.ts';
import { type Day, dayOf } from './events.ts';
import { play, type Settings } from './play.ts';
import { isLearning, type Shape, shareOfAll } from './shape.ts';
import { DAY, type Gate } from './traffic.ts';

/** An account's worst day of fraud, in virtual time. */
export interface WorstDayPlan {
  campaigns: readonly Campaign[];
  seed: number;
  now: Date;
  shape: Shape;
  settings: Settings;
  bounds: Required<Bounds>;
  /** of the deployment, or of the account; *: all, of which those with users and those that are named are attacked */
  allowed_countries: readonly string[];
  /** credits of a send to a country */
  costOf(country: string): number;
  base_price_cents: number;
  /** Whether to look for changes, which takes most of the time. */
  with_changes: boolean;
  /** What refuses sends that no rule refuses. Made anew for each day. */
  gateOf(settings: Settings): Gate;
}

const NOTHING_SET = { rules: {}, allow: [], deny: [] };
const MOST_CHANGES = 3;

interface Result extends PlayedCampaign {
  campaign: Campaign;
}

/** Plays every campaign, then looks for the changes that lower the costliest. Takes seconds. */
export function worstDay(plan: WorstDayPlan): WorstDay {
  const { campaigns, settings, shape } = plan;
  const played = playerOf(plan);
  const results = campaigns.map((campaign) => played(campaign, settings));
  const byCost = results.toSorted((one, other) => other.cost_cents - one.cost_cents);
  const [costliest] = byCost as [Result, ...Result[]];
  const mostRefused = results.reduce((one, other) => (other.users_refused > one.users_refused ? other : one));
  return {
    seed: plan.seed,
    cost_cents: costliest.cost_cents,
    without_rules_cents: Math.max(...results.map(({ without_rules_cents }) => without_rules_cents)),
    users_refused: mostRefused.users_refused,
    known_refused: mostRefused.known_refused,
    campaigns: results.map(({ campaign: _, ...shown }) => shown),
    changes: plan.with_changes ? changesOf(plan, byCost, played) : [],
    costliest: { name: costliest.name, users_refused: costliest.users_refused },
    shape: shownShape(shape),
  };
}

type Player = (campaign: Campaign, settings: Settings) => Result;

function playerOf(plan: WorstDayPlan): Player {
  const { shape, seed, base_price_cents } = plan;
  const day_ms = (Math.floor(plan.now.getTime() / DAY) + 1) * DAY;
  const days = new Map<string, Day>();
  return (campaign, settings) => {
    const target = targetOf(plan, settings, day_ms);
    const key = `${campaign.name} ${target}`;
    const day = days.get(key) ?? dayOf({ campaign, shape, target, seed, day_ms });
    days.set(key, day);
    const gate = plan.gateOf(settings);
    const { refused_by, ...played } = play({ campaign, shape, day, day_ms, settings, gate });
    // Without a country that the account allows, none of the sends is accepted.
    const costOf = (sends: number): number =>
      target === undefined ? 0 : Math.round(sends * plan.costOf(target) * base_price_cents);
    const sends = Math.ceil(campaign.sends / campaign.accounts);
    return {
      campaign,
      name: campaign.name,
      country: target ?? null,
      sends,
      ...played,
      cost_cents: costOf(played.got_through),
      without_rules_cents: costOf(sends),
      refused_by: [...refused_by]
        .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
        .map(([by, count]) => ({ by, sends: count })),
    };
  };
}

/** Stands for all countries, if an account may send to all and has no users yet. */
const ANY = 'US';

/** The countries to which an account can send. */
function countriesOf(
  { shape, allowed_countries }: WorstDayPlan,
  { policy, deployment }: Settings,
  atMs: number,
) {
  const named = allowed_countries.filter((country) => country !== '*');
  const own = [...shape.countries.map(({ code }) => code), ...(policy.rules.country.countries ?? [])];
  const all = [...new Set(allowed_countries.includes('*') ? [...own, ...named] : named)];
  return (all.length > 0 ? all : [ANY]).filter((country) =>
    [policy, deployment].every(({ rules: { country: rule }, deny }) => {
      const to = { number: '', prefix: '', country, address: null, client: null };
      const isListed = rule.mode !== 'enforce' || (rule.countries?.includes(country) ?? true);
      return isListed && kindOfCover(deny, to, atMs) === undefined;
    }),
  );
}

/** Attackers choose the dearest country; among equals that with most users, because its budgets are the largest. */
function targetOf(plan: WorstDayPlan, settings: Settings, atMs: number): string | undefined {
  const shareOf = (code: string): number => plan.shape.countries.find((one) => one.code === code)?.share ?? 0;
  return countriesOf(plan, settings, atMs).toSorted(
    (one, other) =>
      plan.costOf(other) - plan.costOf(one) || shareOf(other) - shareOf(one) || (one < other ? -1 : 1),
  )[0];
}

/**
 * Tries each change on the costliest campaign, then on the others while one of them costs more. A stricter setting makes no campaign
 * dearer, so the rest need not be played.
 */
function changesOf(
  plan: WorstDayPlan,
  [costliest, ...others]: readonly Result[],
  played: Player,
): WorstDay['changes'] {
  if (!costliest || costliest.cost_cents === 0) return [];
  const { settings, now } = plan;
  const countries = countriesOf(plan, settings, now.getTime());
  const found: WorstDay['changes'] = [];
  for (const candidate of candidatesOf({ ...plan, countries, campaign: costliest.campaign })) {
    const first = played(costliest.campaign, candidate.settings);
    let { cost_cents } = first;
    if (cost_cents >= costliest.cost_cents) continue;
    for (const other of others) {
      if (other.cost_cents <= cost_cents) break;
      const { cost_cents: next } = played(other.campaign, candidate.settings);
      cost_cents = Math.max(cost_cents, next);
    }
    if (cost_cents < costliest.cost_cents)
      found.push({ ...candidate.change, cost_cents, users_refused: first.users_refused });
  }
  const best = found.sort(
    (one, other) => one.cost_cents - other.cost_cents || one.users_refused - other.users_refused,
  );
  const nameOf = ({ setting, rule, threshold }: (typeof best)[number]) => `${setting} ${rule} ${threshold}`;
  return best
    .filter((change, n) => best.findIndex((other) => nameOf(other) === nameOf(change)) === n)
    .slice(0, MOST_CHANGES);
}

function shownShape(shape: Shape): WorstDay['shape'] {
  const { from_ms, to_ms, sends_per_day, countries, with_client } = shape;
  const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const percentOf = (share: number): number => Math.round(100 * share);
  return {
    from: isoOf(from_ms),
    to: isoOf(to_ms),
    sends_per_day: Math.round(sends_per_day),
    conversion_percent: percentOf(shareOfAll(shape, 'conversion')),
    known_percent: percentOf(shareOfAll(shape, 'known')),
    client_percent: percentOf(with_client),
    countries: countries.length,
    is_learning: isLearning(shape),
  };
}

/** The stored rules that a day is played with. */
export interface StoredRules {
  own: SettingsRow | undefined;
  operators: SettingsRow | undefined;
  sandbox: boolean;
}

export async function storedRules(app: Needs<'db' | 'config'>, account_id: string): Promise<StoredRules> {
  const [own, operators] = await Promise.all([
    findSettings(app.db, account_id),
    findSettings(app.db, DEPLOYMENT),
  ]);
  return { own, operators, sandbox: app.config.sandbox };
}

/** The rules of an account, those over all accounts, and the bounds of the account's. */
export const rulesOf = ({ own, operators, sandbox }: StoredRules) => ({
  policy: policyOf(own ?? NOTHING_SET, { sandbox }),
  deployment: policyOf(operators ?? NOTHING_SET, { sandbox, scope: 'deployment' }),
  bounds: boundsWith(operators?.bounds ?? {}),
});
