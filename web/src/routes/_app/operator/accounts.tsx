import { createFileRoute } from '@tanstack/react-router';
import { Accounts } from '../../../operator/Accounts.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { accountSearch } from '../../../operator/searches.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/accounts')({
  ...accountSearch.routing,
  head: titled(operatorPages.accounts),
  component: Accounts,
});
