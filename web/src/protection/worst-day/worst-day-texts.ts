import {
  CAMPAIGNS,
  type DeploymentWorstDay,
  type Mode,
  type PlayedCampaign,
  RULE_NAMES,
  WORST_DAYS_PER_HOUR,
  type WorstDay,
  type WorstDayChange,
} from '@sixdigit/contract/protection/protection.ts';
import { countryNames } from '../../ui/display-names.ts';
import { countOf, dollars, percent } from '../../ui/numbers.ts';
import { type CountedRule, MODE_NAMES, THRESHOLD_NAMES } from '../rule-texts.ts';

/** The result in a sentence. */
export const summaryOf = (worst: WorstDay): string =>
  `With your settings the worst day costs at most ${dollars(worst.cost_cents)}; without rules ${dollars(worst.without_rules_cents)}. It would have refused ${countOf(worst.users_refused, 'request')} of your real users${knownText(worst)}.`;

/** The same for the largest accounts. */
export const deploymentSummaryOf = (worst: DeploymentWorstDay): string =>
  worst.accounts === 0
    ? 'No account has spent credits in this month.'
    : `With their settings the worst day of ${worst.accounts === 1 ? 'the largest account' : `the ${worst.accounts} largest accounts`} costs at most ${dollars(worst.cost_cents)}; without rules ${dollars(worst.without_rules_cents)}. It would have refused ${countOf(worst.users_refused, 'request')} of real users${knownText(worst)}.`;

const knownText = ({
  users_refused,
  known_refused,
}: Pick<WorstDay, 'users_refused' | 'known_refused'>): string => {
  if (users_refused === 0) return '';
  return known_refused === 0
    ? ', none of them known'
    : `, ${known_refused.toLocaleString('en-US')} of them known`;
};

const REASONS: Record<string, string> = {
  recipient_limit: 'Limits of recipients',
  spend_limit: 'Spend limits',
};

/** What stopped most of a campaign. */
export function stoppedBy({ refused_by: [first] }: PlayedCampaign): string {
  if (!first) return 'Nothing stopped it';
  return `Mostly stopped by: ${RULE_NAMES[first.by as keyof typeof RULE_NAMES] ?? REASONS[first.by] ?? first.by}`;
}

/** A change of a setting, with the section of the screen in which it is made. */
export function changeOf({ setting, rule, threshold, before, after }: WorstDayChange): {
  name: string;
  text: string;
  section: string;
} {
  if (setting === 'daily_credit_limit')
    return {
      name: 'Daily spend limit',
      text: `${countOf(Number(after), 'credit')} instead of ${before === null ? 'none' : countOf(Number(before), 'credit')}`,
      section: 'spend',
    };
  if (setting === 'known_days')
    return {
      name: 'Known recipients',
      text: `off instead of ${countOf(Number(before), 'day')}`,
      section: 'known',
    };
  if (setting === 'countries')
    return {
      name: RULE_NAMES.country,
      text: `only ${countryNames(after.split(', '))}`,
      section: 'countries',
    };
  if (rule === null || before === null)
    return { name: 'All rules', text: MODE_NAMES[after as Mode], section: 'rules' };
  const name = RULE_NAMES[rule];
  if (threshold === null)
    return {
      name,
      text: `${MODE_NAMES[after as Mode]} instead of ${MODE_NAMES[before as Mode]}`,
      section: 'rules',
    };
  const field = THRESHOLD_NAMES[rule as CountedRule][threshold];
  return { name, text: `${field}: ${after} instead of ${before}`, section: 'rules' };
}

/** What a change does to the users, compared with the settings. */
export function usersText(
  { users_refused }: WorstDayChange,
  { costliest }: Pick<WorstDay, 'costliest'>,
): string {
  const more = users_refused - costliest.users_refused;
  if (more === 0) return 'as many users refused';
  return `${countOf(Math.abs(more), more > 0 ? 'more user' : 'fewer user')} refused`;
}

/** What the figures assume. */
export function assumptionsOf({ shape, seed }: WorstDay): string[] {
  const { sends_per_day, countries, conversion_percent, known_percent, client_percent } = shape;
  return [
    `Users: ${countOf(sends_per_day, 'send')} a day to ${countOf(countries, 'country', 'countries')}, by the hours, countries, conversion (${percent(conversion_percent / 100)}) and known recipients (${percent(known_percent / 100)}) of your last 30 days. Each send is a user. In a busy account, each played user stands for several.`,
    ...(shape.is_learning
      ? ['Your rules that learn only monitor, because too few of your codes were verified in a week.']
      : []),
    client_percent < 50
      ? `Only ${percent(client_percent / 100)} of your sends have the end user’s IP address, so the rules on IP addresses see little.`
      : `The attackers’ sends have IP addresses as often as your own (${percent(client_percent / 100)}).`,
    `Attackers: ${countOf(CAMPAIGNS.length, 'campaign')} of one day, which begin in your busiest hours. They choose the dearest country that you allow; among equals the one with most of your users, and there the prefixes of your users.`,
    'Prices: an SMS of one segment, at the price of a credit without a discount. The balance does not end the day, because it can be refilled. Limits of keys and limits of your own are not played, nor are list entries for single numbers, prefixes and IP addresses.',
    'Changes: each is tried alone. Their cost to users is the number of requests that are refused on the day of the costliest campaign.',
    `The same seed (${seed}) gives the same figures as long as your settings and sends are the same. An account can play ${WORST_DAYS_PER_HOUR} days an hour.`,
  ];
}
