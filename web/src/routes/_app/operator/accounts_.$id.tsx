import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { AccountLayout } from '../../../operator/accounts/AccountLayout.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id')({
  head: titled(operatorPages.accounts),
  component: AccountLayout,
});
