import { createFileRoute } from '@tanstack/react-router';
import { AccountLayout } from '../../../operator/AccountLayout.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id')({
  head: titled(operatorPages.accounts),
  component: AccountLayout,
});
