import {
  DECISION_OUTCOMES,
  type DecisionOutcome,
  exportDecisions,
  getDecisionFigures,
  listDecisions,
} from '@sixdigit/contract/protection/decisions.ts';
import { BLOCKERS, RULE_NAMES } from '@sixdigit/contract/protection/rules.ts';
import { openStream } from '../../api/call.ts';
import { read, readPage } from '../../api/read.ts';
import type { Exporting } from '../../table/run-export.ts';
import { anyText, listSearch, oneOf } from '../../table/search.ts';

/** The filters of decisions in the URL. */
export const periods = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
] as const;

export const OUTCOME_LABELS: Record<DecisionOutcome, string> = {
  blocked: 'Blocked',
  challenged: 'Challenged',
  monitored: 'Monitored',
  passed: 'Passed',
};
export const outcomes = [
  { value: 'all' as const, label: 'All Outcomes' },
  ...DECISION_OUTCOMES.map((value) => ({ value, label: OUTCOME_LABELS[value] })),
];
export const rules = [
  { value: 'all' as const, label: 'All Rules' },
  ...BLOCKERS.map((value) => ({ value, label: RULE_NAMES[value] })),
];

export const decisionSearch = listSearch({
  orderings: ['created_at', 'sends'],
  ordering: '-created_at',
  filters: {
    outcome: oneOf(['all', ...DECISION_OUTCOMES], 'all'),
    rule: oneOf(['all', ...BLOCKERS], 'all'),
    days: oneOf(['1', '7', '30'], '30'),
    api_key: anyText,
  },
});
type Search = typeof decisionSearch.defaults;

const filterOf = ({ search, outcome, rule, days, api_key }: Search) => ({
  search,
  created_after: days,
  ...(outcome === 'all' ? {} : { outcome }),
  ...(rule === 'all' ? {} : { rule }),
  ...(api_key === '' ? {} : { api_key }),
});

export const decisionPage = (search: Search) =>
  readPage(
    listDecisions,
    { query: { page: search.page, ordering: search.ordering, ...filterOf(search) } },
    { staleTime: 0 },
  );

export const decisionExport = (search: Search): Exporting => ({
  name: 'decisions',
  open: (signal) => openStream(exportDecisions, { query: filterOf(search), signal }),
});

export const decisionFigures = read(getDecisionFigures, {}, { staleTime: 0 });
