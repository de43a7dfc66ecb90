import { Textarea } from '@mantine/core';
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
import { ApiError, call, sentence } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { toast } from '../../ui/toast.ts';
import { addressesIn } from './addresses.ts';
import { RoleSelect } from './RoleSelect.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** the user's role */
  own: Role;
}

interface Refused {
  address: string;
  reason: string;
}

const schema = z.object({
  addresses: z
    .string()
    .refine((text) => addressesIn(text).length > 0, REQUIRED)
    .refine(
      (text) => addressesIn(text).length <= OPEN_INVITATIONS_MAX,
      `Invite at most ${OPEN_INVITATIONS_MAX} people at once`,
    ),
  role: CreateInvitationBody.shape.role,
});

/** Invites several people with one role. Addresses that are refused stay in the field, with the reasons. */
export function InviteDialog({ opened, onClose, own }: Props) {
  const queryClient = useQueryClient();
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const rest = useRef((_text: string): void => undefined);
  const close = (): void => {
    setRefused([]);
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
        initialValues: { addresses: '', role: 'developer' as Role },
        whenEmpty: { addresses: 'Enter at least one email address' },
        submit: async ({ addresses, role }) => {
          const failed: Refused[] = [];
          const all = addressesIn(addresses);
          for (const email of all)
            try {
              await call(createInvitation, { body: { email, role } });
            } catch (cause) {
              // The others would fail for the same reason.
              if (!(cause instanceof ApiError) || cause.status === 0 || cause.reason === 'step_up_required')
                throw cause;
              const reason = cause.fields.email?.[0] ?? sentence(cause, 'The invitation could not be sent.');
              failed.push({ address: email, reason });
            }
          return { failed, sent: all.length - failed.length };
        },
        failure: 'Failed to send the invitations',
        onSuccess: async ({ failed, sent }) => {
          await invalidate(queryClient, listInvitations, listAuditEntries);
          if (sent > 0) toast.success(sent === 1 ? 'Invitation sent' : `${sent} invitations sent`);
          setRefused(failed);
          rest.current(failed.map(({ address }) => address).join('\n'));
          if (failed.length === 0) close();
        },
      }}
    >
      {({ field, fields }) => {
        // Those that were invited leave the field.
        rest.current = (text) => fields.setFieldValue('addresses', text);
        return (
          <>
            <Textarea
              label="Email Addresses"
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
            {refused.length > 0 ? (
              <div
                role="alert"
                className="rounded-10 border border-(color:--mantine-color-red-outline) px-3.5 py-2.5 text-14"
              >
                <p className="m-0 font-600">
                  {refused.length === 1
                    ? 'One address was not invited:'
                    : `${refused.length} addresses were not invited:`}
                </p>
                <ul className="m-0 grid gap-1 ps-4 wrap-anywhere">
                  {refused.map(({ address, reason }) => (
                    <li key={address}>
                      <strong className="font-600">{address}</strong>: {reason}
                    </li>
                  ))}
                </ul>
              </div>
            ) : null}
            <RoleSelect own={own} {...field('role')} />
          </>
        );
      }}
    </FormDialog>
  );
}
