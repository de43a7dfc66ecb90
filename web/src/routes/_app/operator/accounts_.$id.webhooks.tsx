import { createFileRoute } from '@tanstack/react-router';
import { AccountWebhooks } from '../../../operator/accounts/AccountWebhooks.tsx';
import { attemptSearch } from '../../../operator/searches.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/webhooks')({
  ...attemptSearch.routing,
  component: AccountWebhooks,
});
