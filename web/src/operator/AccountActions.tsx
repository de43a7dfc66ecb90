import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  adjustCredits,
  endAccountSessions,
  type OperatorAccountDetail,
  resumeAccount,
  suspendAccount,
} from '#contract/operator-accounts.ts';
import { currentUser } from '../accounts/current-user.ts';
import { call } from '../api/call.ts';
import classes from './Operator.module.css';
import { ACCOUNTS } from './operator.ts';
import { ReasonDialog } from './ReasonDialog.tsx';

type Open = 'suspend' | 'resume' | 'adjust' | 'sessions' | undefined;

/** The changes of an account. A support operator sees none. */
export function AccountActions({ account }: { account: OperatorAccountDetail }) {
  const { data: user } = useQuery(currentUser);
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<Open>();
  // One id for each opening of the dialog, so that a retry after a lost answer adjusts once.
  const [adjustment, setAdjustment] = useState('');
  if (user?.operator_role !== 'admin') return null;

  const params = { id: account.id };
  const changed = async <T,>(change: Promise<T>): Promise<T> => {
    const result = await change;
    await queryClient.invalidateQueries({ queryKey: ACCOUNTS });
    return result;
  };
  const dialog = (name: Open) => ({ opened: open === name, onClose: () => setOpen(undefined) });
  return (
    <div className={classes.buttons}>
      <Button
        variant="default"
        onClick={() => {
          setAdjustment(crypto.randomUUID());
          setOpen('adjust');
        }}
      >
        Adjust credits
      </Button>
      <Button variant="default" onClick={() => setOpen('sessions')}>
        End sessions
      </Button>
      {account.state === 'suspended' ? (
        <Button onClick={() => setOpen('resume')}>Resume</Button>
      ) : (
        <Button color="red" onClick={() => setOpen('suspend')}>
          Suspend
        </Button>
      )}
      <ReasonDialog
        {...dialog('adjust')}
        title="Adjust credits"
        description="The owner gets a mail, and Payment History shows the reason."
        schema={adjustCredits.body}
        asksCredits
        confirm="Adjust credits"
        success="Credits adjusted"
        submit={({ credits, reason }) =>
          changed(call(adjustCredits, { params, body: { credits, reason, id: adjustment } }))
        }
      />
      <ReasonDialog
        {...dialog('sessions')}
        title="End sessions"
        description="The owner is signed out on every device. API keys keep working."
        schema={endAccountSessions.body}
        confirm="End sessions"
        success="Sessions ended"
        submit={({ reason }) => changed(call(endAccountSessions, { params, body: { reason } }))}
      />
      <ReasonDialog
        {...dialog('suspend')}
        title="Suspend account"
        description="Its API keys are refused within a second, and nothing is charged. The owner gets a mail with the reason."
        schema={suspendAccount.body}
        confirm="Suspend account"
        isDangerous
        success="Account suspended"
        submit={({ reason }) => changed(call(suspendAccount, { params, body: { reason } }))}
      />
      <ReasonDialog
        {...dialog('resume')}
        title="Resume account"
        description="Its API keys work again. The owner gets a mail."
        schema={resumeAccount.body}
        confirm="Resume account"
        success="Account resumed"
        submit={({ reason }) => changed(call(resumeAccount, { params, body: { reason } }))}
      />
    </div>
  );
}
