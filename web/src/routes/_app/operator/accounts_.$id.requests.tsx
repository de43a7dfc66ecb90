import { createFileRoute } from '@tanstack/react-router';
import { AccountRequests } from '../../../operator/accounts/AccountRequests.tsx';
import { requestLogSearch } from '../../../request-logs/request-logs.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/requests')({
  ...requestLogSearch.routing,
  component: AccountRequests,
});
