import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { Accounts } from '../../../operator/accounts/Accounts.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { accountSearch } from '../../../operator/searches.ts';

export const Route = createFileRoute('/_app/operator/accounts')({
  ...accountSearch.routing,
  head: titled(operatorPages.accounts),
  component: Accounts,
});
