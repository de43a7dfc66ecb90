import { createFileRoute } from '@tanstack/react-router';
import { Account } from '../../../operator/Account.tsx';

export const Route = createFileRoute('/_app/operator/accounts_/$id/')({
  component: Account,
});
