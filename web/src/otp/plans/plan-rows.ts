import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Plans, PlansBody } from '@sixdigit/contract/plans.ts';
import type { z } from 'zod';

/** A plan as the list shows it. */
export interface PlanRow {
  /** null: all other countries */
  country: string | null;
  channels: Channel[];
  wait_seconds: number;
  /** set by the account */
  isOwn: boolean;
}

type Body = z.input<typeof PlansBody>;
type Saved = Pick<Plans, 'default' | 'countries'>;

export const withoutPlan = ({ default: others, countries }: Saved, country: string | null): Body => ({
  default: country === null ? null : others,
  countries: countries.filter((plan) => plan.country !== country),
});

/** Replaces or adds the plan of a country, or that of all other countries. */
export function withPlan(saved: Saved, { country, channels, wait_seconds }: Omit<PlanRow, 'isOwn'>): Body {
  const rest = withoutPlan(saved, country);
  const plan = { channels, wait_seconds };
  if (country === null) return { ...rest, default: plan };
  return { ...rest, countries: [...(rest.countries ?? []), { country, ...plan }] };
}
