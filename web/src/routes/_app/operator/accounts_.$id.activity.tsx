import { createFileRoute } from '@tanstack/react-router';
import { auditSearch } from '../../../audit/audit-search.ts';
import { AccountActivity } from '../../../operator/accounts/AccountActivity.tsx';

export const Route = createFileRoute('/_app/operator/accounts_/$id/activity')({
  ...auditSearch.routing,
  component: AccountActivity,
});
