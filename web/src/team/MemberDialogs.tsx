import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changeRole,
  leaveAccount,
  listMembers,
  type Member,
  removeMember,
} from '@sixdigit/contract/accounts/members.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { roleNames } from '../accounts/role-texts.ts';
import { forgetAccounts } from '../api/account.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { ConfirmDialog } from '../ui/Dialog.tsx';
import { useShownAccount } from './members.ts';
import { RoleSelect } from './RoleSelect.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  member: Member | undefined;
}

const nameOf = ({ name, email }: Member): string => name || email;

export const ChangeRoleDialog = ({ member, own, ...dialog }: Props & { own: Role }) => (
  <FormDialog
    {...dialog}
    title="Change Role"
    description={member && nameOf(member)}
    confirm="Change Role"
    busy="Saving..."
    success="Role changed"
    refresh={[listMembers, listAuditEntries, getMe]}
    formKey={member?.person_id}
    form={
      member && {
        schema: changeRole.body,
        initialValues: { role: member.role },
        submit: (body) => call(changeRole, { params: { person_id: member.person_id }, body }),
        failure: 'Failed to change the role',
      }
    }
    isDisabled={({ role }) => role === member?.role}
  >
    {({ field }) => <RoleSelect own={own} data-autofocus {...field('role')} />}
  </FormDialog>
);

export function RemoveMemberDialog({ member, ...dialog }: Props) {
  const remove = useAction({
    run: (removed: Member) => call(removeMember, { params: { person_id: removed.person_id } }),
    success: 'Member removed',
    failure: 'Failed to remove the member',
    refresh: [listMembers, listApiKeys, listAuditEntries],
    done: dialog.onClose,
  });
  return (
    <ConfirmDialog
      {...dialog}
      title="Remove Member"
      confirm="Remove"
      isDangerous
      isBusy={remove.isPending}
      onConfirm={() => member && remove.mutate(member)}
    >
      {member ? (
        <div className="grid gap-2 text-ink-soft">
          <p className="m-0 wrap-anywhere">
            {nameOf(member)} ({roleNames[member.role]}) loses access immediately, on every device.
          </p>
          <p className="m-0">
            API keys and connections that they made keep working, and they may know the secrets. Rotate these
            secrets. In the list of API keys, such keys are marked “former member”.
          </p>
        </div>
      ) : null}
    </ConfirmDialog>
  );
}

export function LeaveDialog(dialog: Pick<Props, 'opened' | 'onClose'>) {
  const shown = useShownAccount();
  const leave = useAction({
    run: () => call(leaveAccount),
    failure: 'Failed to leave the account',
    done: () => {
      // The next page finds the account used last among those that are left.
      forgetAccounts();
      window.location.assign('/');
    },
  });
  return (
    <ConfirmDialog
      {...dialog}
      title="Leave Account"
      confirm="Leave"
      isDangerous
      isBusy={leave.isPending}
      onConfirm={() => leave.mutate()}
    >
      <p className="m-0 wrap-anywhere text-ink-soft">
        You lose access to {shown?.name || 'this account'} immediately. API keys and connections that you made
        keep working. To come back, you need an invitation.
      </p>
    </ConfirmDialog>
  );
}
