import { createFileRoute } from '@tanstack/react-router';
import { Account } from '../../../operator/accounts/Account.tsx';

export const Route = createFileRoute('/_app/operator/accounts_/$id/')({
  component: Account,
});
