import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changeRole,
  leaveAccount,
  listMembers,
  type Member,
  removeMember,
} from '@sixdigit/contract/accounts/members.ts';
import { AccountNameBody, listAccounts, renameAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { isAtLeast, ROLES, type Role } from '@sixdigit/contract/roles.ts';
import { AccountNameField } from '../accounts/AccountNameField.tsx';
import { roleNames, roleTexts } from '../accounts/role-texts.ts';
import { forgetAccounts } from '../api/account.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { ActionDialog } from '../ui/Dialog.tsx';
import { useShownAccount } from './members.ts';

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

export const RemoveMemberDialog = ({ member, ...dialog }: Props) => (
  <ActionDialog
    {...dialog}
    title="Remove Member"
    confirm="Remove"
    isDangerous
    of={member}
    run={({ person_id }) => call(removeMember, { params: { person_id } })}
    success="Member removed"
    failure="Failed to remove the member"
    refresh={[listMembers, listApiKeys, listAuditEntries]}
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
  </ActionDialog>
);

export function LeaveDialog(dialog: Pick<Props, 'opened' | 'onClose'>) {
  const shown = useShownAccount();
  return (
    <ActionDialog
      {...dialog}
      title="Leave Account"
      confirm="Leave"
      isDangerous
      run={() => call(leaveAccount)}
      failure="Failed to leave the account"
      done={() => {
        // The next page finds the account used last among those that are left.
        forgetAccounts();
        window.location.assign('/');
      }}
    >
      <p className="m-0 wrap-anywhere text-ink-soft">
        You lose access to {shown?.name || 'this account'} immediately. API keys and connections that you made
        keep working. To come back, you need an invitation.
      </p>
    </ActionDialog>
  );
}

export function RenameAccountDialog(dialog: Pick<Props, 'opened' | 'onClose'>) {
  const shown = useShownAccount();
  return (
    <FormDialog
      {...dialog}
      title="Rename Account"
      description="Links to the dashboard stay the same."
      confirm="Rename"
      busy="Saving..."
      success="Account renamed"
      refresh={[listAccounts]}
      formKey={shown?.name}
      form={{
        schema: AccountNameBody,
        initialValues: { name: shown?.name ?? '' },
        submit: (body) => call(renameAccount, { body }),
        failure: 'Failed to rename the account',
      }}
    >
      {({ field }) => <AccountNameField data-autofocus {...field('name')} />}
    </FormDialog>
  );
}

interface RoleProps extends NativeSelectProps {
  value?: Role;
  /** of the user, who can give at most this one */
  own: Role;
}

/** The roles that a user with this one can give. */
export const rolesUpTo = (own: Role) =>
  ROLES.filter((role) => isAtLeast(own, role)).map((role) => ({ value: role, label: roleNames[role] }));

/** A role, with what it may do. */
export const RoleSelect = ({ own, value, ...field }: RoleProps) => (
  <NativeSelect
    label="Role"
    description={value && roleTexts[value]}
    {...(value && { value })}
    {...field}
    data={rolesUpTo(own)}
  />
);
