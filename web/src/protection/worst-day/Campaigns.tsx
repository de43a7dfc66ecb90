import type { PlayedCampaign, WorstDay } from '@sixdigit/contract/protection/protection.ts';
import { countryName } from '../../ui/display-names.ts';
import { countOf, dollars } from '../../ui/numbers.ts';
import { stoppedBy } from './worst-day-texts.ts';

interface Props {
  worst: Pick<WorstDay, 'campaigns' | 'without_rules_cents'>;
}

/** A bar of each campaign's cost, within one of its cost without rules. */
export function Campaigns({ worst: { campaigns, without_rules_cents } }: Props) {
  const widthOf = (cents: number): string => `${(100 * cents) / Math.max(1, without_rules_cents)}%`;
  return (
    <figure className="m-0">
      <figcaption className="mb-2 flex flex-wrap gap-x-4 text-13 text-ink-soft">
        <Swatch color="bg-red" text="With these settings" />
        <Swatch color="bg-line" text="Without rules" />
      </figcaption>
      <ul className="m-0 list-none p-0" aria-label="Campaigns">
        {campaigns.map((one) => (
          <li key={one.name} className="border-t border-line py-2.5 text-14 first:border-t-0">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="font-500">
                {one.name}
                {one.country === null ? null : (
                  <span className="font-400 text-ink-soft"> · {countryName(one.country)}</span>
                )}
              </span>
              <span className="tabular-nums">
                <strong className="font-600">{dollars(one.cost_cents)}</strong>
                <span className="text-ink-soft"> of {dollars(one.without_rules_cents)}</span>
              </span>
            </div>
            <div className="relative my-1.5 h-2 rounded-4 bg-sunken forced-color-adjust-none" aria-hidden>
              <span
                className="absolute inset-y-0 left-0 rounded-4 bg-line"
                style={{ width: widthOf(one.without_rules_cents) }}
              />
              <span
                className="absolute inset-y-0 left-0 rounded-4 bg-red"
                style={{ width: widthOf(one.cost_cents) }}
              />
            </div>
            <p className="m-0 text-13 text-ink-soft">{figuresOf(one)}</p>
          </li>
        ))}
      </ul>
    </figure>
  );
}

const Swatch = ({ color, text }: { color: string; text: string }) => (
  <span className="flex items-center gap-1.5">
    <span className={`inline-block size-2.5 rounded-4 forced-color-adjust-none ${color}`} aria-hidden />
    {text}
  </span>
);

const figuresOf = (one: PlayedCampaign): string =>
  [
    `${one.got_through.toLocaleString('en-US')} of ${countOf(one.sends, 'message')} sent`,
    `${countOf(one.users_refused, 'user')} refused`,
    stoppedBy(one),
  ].join(' · ');
