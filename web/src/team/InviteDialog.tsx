import { NativeSelect, Textarea } from '@mantine/core';
import {
  CreateInvitationBody,
  createInvitation,
  INVITATION_DAYS,
  listInvitations,
  OPEN_INVITATIONS_MAX,
} from '@sixdigit/contract/accounts/invitations.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { z } from 'zod';
import { ApiError, call, sentence } from '../api/call.ts';
import { invalidate } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { RoleSelect, rolesUpTo } from './TeamDialogs.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** the user's role */
  own: Role;
}

interface Values extends Record<string, unknown> {
  addresses: string;
  /** of addresses without one of their own */
  role: Role;
  roles: Record<string, Role>;
}

/** Why addresses were not invited. */
type Refused = ReadonlyMap<string, string>;

/** The addresses of a text, which commas, semicolons and white space separate, each once. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((address) => address.replace(/^<|>$/g, ''))
      .filter((address) => address !== ''),
  ),
];

const { role } = CreateInvitationBody.shape;
const schema = z.object({
  addresses: z
    .string()
    .refine((text) => addressesIn(text).length > 0, REQUIRED)
    .refine(
      (text) => addressesIn(text).length <= OPEN_INVITATIONS_MAX,
      `Invite at most ${OPEN_INVITATIONS_MAX} people at once`,
    ),
  role,
  roles: z.record(z.string(), role),
});

/** Makes one call for each address. Throws if none was invited for a reason that holds for all of them. */
async function inviteAll({ addresses, role, roles }: Values): Promise<{ sent: number; refused: Refused }> {
  const people = addressesIn(addresses).map((email) => ({ email, role: roles[email] ?? role }));
  const refused = new Map<string, string>();
  for (const [n, body] of people.entries())
    try {
      await call(createInvitation, { body });
    } catch (cause) {
      const isOfAddress =
        cause instanceof ApiError && cause.status !== 0 && cause.reason !== 'step_up_required';
      if (!isOfAddress && refused.size === n) throw cause;
      const fields = cause instanceof ApiError ? cause.fields : {};
      const reason = fields.email?.[0] ?? sentence(cause, 'The invitation could not be sent.');
      for (const { email } of isOfAddress ? [body] : people.slice(n)) refused.set(email, reason);
      if (!isOfAddress) break;
    }
  return { sent: people.length - refused.size, refused };
}

const NONE: Refused = new Map();

/** Invites several people, each with a role. Addresses that are refused stay in the field, with the reasons. */
export function InviteDialog({ opened, onClose, own }: Props) {
  const queryClient = useQueryClient();
  const [refused, setRefused] = useState(NONE);
  const rest = useRef((_text: string): void => undefined);
  const close = (): void => {
    setRefused(NONE);
    onClose();
  };
  return (
    <FormDialog
      opened={opened}
      onClose={close}
      title="Invite People"
      description={`Each person gets an email with a link. It works for ${INVITATION_DAYS} days and only with that address.`}
      confirm="Send Invitations"
      busy="Sending..."
      form={{
        schema,
        initialValues: { addresses: '', role: 'developer', roles: {} } as Values,
        whenEmpty: { addresses: 'Enter at least one email address' },
        submit: inviteAll,
        failure: 'Failed to send the invitations',
        onSuccess: async ({ refused, sent }) => {
          await invalidate(queryClient, listInvitations, listAuditEntries);
          if (sent > 0) toast.success(sent === 1 ? 'Invitation sent' : `${sent} invitations sent`);
          setRefused(refused);
          rest.current([...refused.keys()].join('\n'));
          if (refused.size === 0) close();
        },
      }}
    >
      {({ field, fields }) => {
        // Those that were invited leave the field.
        rest.current = (text) => fields.setFieldValue('addresses', text);
        const { addresses, role, roles } = fields.values;
        const people = addressesIn(addresses);
        return (
          <>
            <Textarea
              label="Email addresses"
              description="Separated by commas, spaces or line breaks."
              autosize
              minRows={3}
              maxRows={8}
              inputMode="email"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              {...field('addresses')}
            />
            <RoleSelect label={people.length > 1 ? 'Default role' : 'Role'} own={own} {...field('role')} />
            <People
              addresses={people}
              refused={refused}
              own={own}
              roleOf={(address) => roles[address] ?? role}
              onRole={(address, chosen) => fields.setFieldValue('roles', { ...roles, [address]: chosen })}
            />
          </>
        );
      }}
    </FormDialog>
  );
}

interface PeopleProps {
  addresses: readonly string[];
  refused: Refused;
  own: Role;
  roleOf: (address: string) => Role;
  onRole: (address: string, role: Role) => void;
}

/** From the second address on, each can have a role of its own. */
function People({ addresses, refused, own, roleOf, onRole }: PeopleProps) {
  // Not the beginning of an address
  const shown = addresses.filter((address) => address.includes('@') || refused.has(address));
  const failed = shown.filter((address) => refused.has(address)).length;
  if (shown.length < 2 && failed === 0) return null;
  return (
    <div>
      {failed > 0 ? (
        <p role="alert" className="mt-0 mb-2 text-14 font-600 text-error">
          {failed === 1 ? 'One address was not invited.' : `${failed} addresses were not invited.`}
        </p>
      ) : null}
      <ul aria-label="Roles" className="m-0 list-none rounded-10 border border-line p-0 text-14">
        {shown.map((address) => (
          <li
            key={address}
            className="flex items-center justify-between gap-3 border-t border-line px-3 py-1.5 first:border-t-0"
          >
            <span className="min-w-0 wrap-anywhere">
              {address}
              {refused.has(address) ? (
                <span className="block text-13 text-error">{refused.get(address)}</span>
              ) : null}
            </span>
            <NativeSelect
              size="xs"
              className="flex-none"
              aria-label={`Role of ${address}`}
              value={roleOf(address)}
              onChange={(event) => onRole(address, event.currentTarget.value as Role)}
              data={rolesUpTo(own)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
