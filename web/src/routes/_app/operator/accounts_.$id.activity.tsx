import { createFileRoute } from '@tanstack/react-router';
import { AccountActivity } from '../../../operator/AccountActivity.tsx';
import { auditSearch } from '../../../audit/audit-search.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/activity')({
  ...auditSearch.routing,
  component: AccountActivity,
});
