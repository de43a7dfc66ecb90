import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { insightsDefaults, readInsightsSearch } from '../../../insights/insights.ts';
import { AccountInsights } from '../../../operator/accounts/AccountInsights.tsx';

export const Route = createFileRoute('/_app/operator/accounts_/$id/insights')({
  validateSearch: readInsightsSearch,
  search: { middlewares: [stripSearchParams(insightsDefaults)] },
  component: AccountInsights,
});
