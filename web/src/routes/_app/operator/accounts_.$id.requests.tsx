import { createFileRoute } from '@tanstack/react-router';
import { AccountRequests } from '../../../operator/AccountRequests.tsx';
import { requestSearch } from '../../../operator/searches.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/requests')({
  ...requestSearch.routing,
  component: AccountRequests,
});
