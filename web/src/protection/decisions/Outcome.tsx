import type { DecisionOutcome, DestinationDecision } from '@sixdigit/contract/protection/decisions.ts';
import { Badge } from '../../ui/Badge.tsx';
import { countryName } from '../../ui/display-names.ts';
import { prefixText } from '../block-texts.ts';
import { OUTCOME_LABELS } from './decisions.ts';

const TONES = { blocked: 'red', challenged: 'blue', monitored: 'orange', passed: 'green' } as const;

export const OutcomeBadge = ({ outcome }: { outcome: DecisionOutcome }) => (
  <Badge tone={TONES[outcome]}>{OUTCOME_LABELS[outcome]}</Badge>
);

/** '+1 415 555… in United States' */
export const destinationOf = ({ prefix, country }: Pick<DestinationDecision, 'prefix' | 'country'>): string =>
  [
    prefix === null ? 'Several destinations' : prefixText(prefix),
    country === null ? null : countryName(country),
  ]
    .filter((part) => part !== null)
    .join(' in ');
