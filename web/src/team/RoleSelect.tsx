import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { isAtLeast, ROLES, type Role } from '@sixdigit/contract/roles.ts';
import { roleNames, roleTexts } from '../accounts/role-texts.ts';

interface Props extends NativeSelectProps {
  value?: Role;
  /** of the user, who can give at most this one */
  own: Role;
}

/** The roles that a user with this one can give. */
export const rolesUpTo = (own: Role) =>
  ROLES.filter((role) => isAtLeast(own, role)).map((role) => ({ value: role, label: roleNames[role] }));

/** A role, with what it may do. */
export const RoleSelect = ({ own, value, ...field }: Props) => (
  <NativeSelect
    label="Role"
    description={value && roleTexts[value]}
    {...(value && { value })}
    {...field}
    data={rolesUpTo(own)}
  />
);
