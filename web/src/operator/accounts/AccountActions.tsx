import { ActionIcon, Button, type ButtonProps, TextInput } from '@mantine/core';
import {
  adjustCredits,
  endAccountSessions,
  listOperatorAccounts,
  type OperatorAccountDetail,
  resumeAccount,
  suspendAccount,
} from '@sixdigit/contract/operator/accounts.ts';
import { eraseAccount } from '@sixdigit/contract/operator/erasures.ts';
import { IconDots } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { invalidate } from '../../api/read.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { count } from '../../payments/prices.ts';
import { Menu } from '../../ui/Menu.ts';
import { useAsked } from '../asked.ts';
import classes from '../Operator.module.css';
import { useIsAdmin } from '../operator.ts';
import { ReasonDialog, type ReasonDialogProps, ReasonInput } from '../ReasonDialog.tsx';
import { EmailDialog } from './EmailDialog.tsx';
import { LimitsDialog } from './LimitsDialog.tsx';

interface Action
  extends Omit<ReasonDialogProps, 'opened' | 'onClose' | 'confirm' | 'submit' | 'description'> {
  label: string;
  description: (account: { email: string; credits: number }) => string;
  button?: ButtonProps;
  /** `id` is the idempotency key. Each opening of the dialog has a new one. */
  run: (params: { id: string }, given: { reason: string; credits: number }, id: string) => Promise<unknown>;
}

const actions = {
  adjust: {
    label: 'Adjust Credits',
    button: { variant: 'default' },
    title: 'Adjust Credits',
    description: ({ email, credits }) => `${email} has ${count(credits)}.`,
    readers: 'Shown in the owner’s email, in Payment History and in the audit log.',
    schema: adjustCredits.body,
    asksCredits: true,
    success: 'Credits adjusted',
    run: (params, { credits, reason }, id) => call(adjustCredits, { params, body: { credits, reason, id } }),
  },
  sessions: {
    label: 'End Sessions',
    button: { variant: 'default' },
    title: 'End Sessions',
    description: () =>
      'All members are signed out on every device, also from their other accounts. API keys keep working.',
    schema: endAccountSessions.body,
    success: 'Sessions ended',
    run: (params, { reason }) => call(endAccountSessions, { params, body: { reason } }),
  },
  suspend: {
    label: 'Suspend Account',
    button: { color: 'red', variant: 'outline' },
    title: 'Suspend Account',
    description: ({ email }) =>
      `API calls of ${email} are refused within a second. Messages that are already accepted are still delivered, and members can still sign in. You can resume the account at any time.`,
    readers: 'Shown in the owner’s email and in the audit log.',
    schema: suspendAccount.body,
    isDangerous: true,
    success: 'Account suspended',
    run: (params, { reason }) => call(suspendAccount, { params, body: { reason } }),
  },
  resume: {
    label: 'Resume Account',
    title: 'Resume Account',
    description: ({ email }) => `The API keys of ${email} work again. The owner gets an email.`,
    schema: resumeAccount.body,
    success: 'Account resumed',
    run: (params, { reason }) => call(resumeAccount, { params, body: { reason } }),
  },
} satisfies Record<string, Action>;
type Name = keyof typeof actions;

/** The actions available in each state. */
const OFFERED: Record<OperatorAccountDetail['state'], readonly Name[]> = {
  active: ['adjust', 'suspend'],
  suspended: ['adjust', 'resume'],
  deleted: [],
};

type Opened = Name | 'limits' | 'email' | 'erase';

/** The actions on an account, for admins only. */
export function AccountActions({ account }: { account: OperatorAccountDetail }) {
  const { id, email, credits, state } = account;
  const isAdmin = useIsAdmin();
  const queryClient = useQueryClient();
  const [opened, setOpened] = useState<{ name: Opened; id: string }>();
  const offered: readonly Opened[] =
    isAdmin && state !== 'deleted' ? [...OFFERED[state], 'limits', 'email', 'sessions', 'erase'] : [];
  const open = (name: Opened) => setOpened({ name, id: newIdempotencyKey() });
  useAsked(offered, open);
  if (offered.length === 0) return null;
  const close = () => setOpened(undefined);
  return (
    <>
      <Buttons state={state} open={open} />
      {Object.entries<Action>(actions).map(([name, { label, button: _, description, run, ...dialog }]) => (
        <ReasonDialog
          key={name}
          {...dialog}
          description={description({ email: email ?? 'this account', credits })}
          confirm={label}
          opened={opened?.name === name}
          onClose={close}
          submit={async (given) => {
            await run({ id }, given, opened?.id ?? '');
            await invalidate(queryClient, listOperatorAccounts);
          }}
        />
      ))}
      <LimitsDialog
        opened={opened?.name === 'limits'}
        onClose={close}
        id={id}
        email={email ?? 'this account'}
      />
      <EmailDialog opened={opened?.name === 'email'} onClose={close} id={id} email={email ?? ''} />
      <EraseAccountDialog opened={opened?.name === 'erase'} onClose={close} id={id} email={email ?? ''} />
    </>
  );
}

interface ButtonsProps {
  state: OperatorAccountDetail['state'];
  open: (name: Opened) => void;
}

const Buttons = ({ state, open }: ButtonsProps) => (
  <div className={`${classes.headActions} flex flex-wrap items-center gap-2`}>
    <Button variant="default" onClick={() => open('limits')}>
      Change Limits
    </Button>
    {OFFERED[state].map((name) => {
      const { label, button }: Action = actions[name];
      return (
        <Button key={name} {...button} onClick={() => open(name)}>
          {label.replace(' Account', '')}
        </Button>
      );
    })}
    <More open={open} />
  </div>
);

/** The buttons of most accounts, which cannot be pressed until the account's state is known. */
export const ActionsPlaceholder = () => (
  <div className="opacity-50" inert aria-hidden>
    <Buttons state="active" open={() => {}} />
  </div>
);

/** The menu of less frequent actions. */
const More = ({ open }: { open: (name: Opened) => void }) => (
  <Menu position="bottom-end" width={200} shadow="md" withinPortal>
    <Menu.Target>
      <ActionIcon variant="default" size="input-sm" aria-label="More actions">
        <IconDots size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={() => open('email')}>Change Email</Menu.Item>
      <Menu.Item onClick={() => open('sessions')}>End Sessions</Menu.Item>
      <Menu.Divider />
      <Menu.Item className="text-red" onClick={() => open('erase')}>
        Erase Account
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

interface Props {
  opened: boolean;
  onClose: () => void;
  id: string;
  email: string;
}

/** The operator types the account's email address, because an erasure cannot be undone. */
const EraseAccountDialog = ({ id, email, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title="Erase Account"
    description="The account’s sessions, API keys and webhooks stop working immediately, and its personal data is removed. The ledger is kept without the name. The owner gets an email. This cannot be undone."
    confirm="Erase Account"
    busy="Erasing..."
    isDangerous
    success="Account erased"
    refresh={[listOperatorAccounts]}
    form={{
      schema: eraseAccount.body.refine((body) => body.email === email, {
        path: ['email'],
        message: 'This is not the email address of the account.',
      }),
      initialValues: { email: '', reason: '' },
      submit: (body) => call(eraseAccount, { params: { id }, body }),
      failure: 'Failed to erase the account',
    }}
  >
    {({ field }) => (
      <>
        <TextInput
          label="Account email address"
          description={`Type ${email} to confirm`}
          inputMode="email"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...field('email')}
        />
        <ReasonInput {...field('reason')} />
      </>
    )}
  </FormDialog>
);
