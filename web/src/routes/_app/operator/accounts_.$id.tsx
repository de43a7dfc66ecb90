import { createFileRoute } from '@tanstack/react-router';
import { Account } from '../../../operator/Account.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { verificationSearch } from '../../../operator/searches.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id')({
  ...verificationSearch.routing,
  head: titled(operatorPages.accounts),
  component: Account,
});
