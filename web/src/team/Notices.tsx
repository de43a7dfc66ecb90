import { listMembers, type Member, updateNotices } from '@sixdigit/contract/accounts/members.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { Switch } from '../ui/Switch.ts';

/** Which mails about the account the user gets. Each change is saved immediately. */
export function Notices({ own: { service_notices } }: { own: Member }) {
  const change = useAction({
    run: (isWanted: boolean) => call(updateNotices, { body: { service_notices: isWanted } }),
    success: 'Saved',
    failure: 'Failed to save the change',
    refresh: [listMembers],
  });
  return (
    <Switch
      label="Email me about problems"
      description="Such as webhooks and message domains that stopped working. Owners and admins always get emails about money and security."
      checked={change.isPending ? change.variables : (service_notices ?? true)}
      aria-disabled={change.isPending}
      onChange={(event) => {
        if (!change.isPending) change.mutate(event.currentTarget.checked);
      }}
    />
  );
}
