import { createFileRoute } from '@tanstack/react-router';
import { Account } from '../../../operator/Account.tsx';
import { verificationSearch } from '../../../operator/searches.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/')({
  ...verificationSearch.routing,
  component: Account,
});
