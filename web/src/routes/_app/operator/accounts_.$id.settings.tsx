import { createFileRoute } from '@tanstack/react-router';
import { AccountSettings } from '../../../operator/accounts/AccountSettings.tsx';

export const Route = createFileRoute('/_app/operator/accounts_/$id/settings')({
  component: AccountSettings,
});
