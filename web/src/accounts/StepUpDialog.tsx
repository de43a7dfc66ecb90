import { Button, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { REQUIRED } from '#contract/errors.ts';
import { getStepUp, StepUpBody, type StepUpMethod, sendStepUpCode, stepUp } from '#contract/step-up.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import { currentUser } from './current-user.ts';
import { ResendButton } from './ResendButton.tsx';
import classes from './StepUpDialog.module.css';
import { CODE_LENGTH_MESSAGE } from './VerifyCode.tsx';

type OnClose = (isProven: boolean) => void;

/** Above dialogs whose change waits for the proof. */
const ABOVE = 300;

export const StepUpDialog = ({ opened, onClose }: { opened: boolean; onClose: OnClose }) => (
  <Dialog
    opened={opened}
    onClose={() => onClose(false)}
    title="Confirm it is you"
    description="This change needs a proof that it is you. It holds for 15 minutes."
    size="sm"
    zIndex={ABOVE}
  >
    {opened ? <Proof onClose={onClose} /> : null}
  </Dialog>
);

function Proof({ onClose }: { onClose: OnClose }) {
  const query = useQuery({
    queryKey: ['step-up'],
    queryFn: ({ signal }) => call(getStepUp, { signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (query.isError) return <QueryError query={query} message="Failed to load the ways to confirm" />;
  if (!query.data) return <p role="status">Loading...</p>;
  const [method] = query.data.methods;
  if (!method) return <p role="alert">No code can be sent to you now. Please try again later.</p>;
  if (method === 'password') return <ByPassword onClose={onClose} />;
  return <BySentCode method={method} onClose={onClose} />;
}

function ByPassword({ onClose }: { onClose: OnClose }) {
  const { data: user } = useQuery(currentUser);
  const form = useBodyForm({
    schema: StepUpBody,
    initialValues: { password: '' },
    whenEmpty: { password: REQUIRED },
    submit: (body) => call(stepUp, { body }),
    failure: 'Failed to confirm',
    onSuccess: () => onClose(true),
  });
  return (
    <Form form={form} label="Confirm it is you">
      {/* tells password managers which account the password belongs to */}
      <input type="hidden" autoComplete="username" value={user?.email ?? ''} readOnly />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        autoFocus
        {...form.fields.getInputProps('password')}
      />
      <Actions form={form} onClose={onClose} />
    </Form>
  );
}

const Actions = ({ form, onClose }: { form: { isBusy: boolean }; onClose: OnClose }) => (
  <DialogActions>
    <Button variant="default" onClick={() => onClose(false)}>
      Cancel
    </Button>
    <SubmitButton form={form} busy="Confirming...">
      Confirm
    </SubmitButton>
  </DialogActions>
);

interface BySentCodeProps {
  method: Extract<StepUpMethod, 'email' | 'sms'>;
  onClose: OnClose;
}

const NAMES = { email: 'email', sms: 'SMS' } as const;

/** The code is sent on request, because a text costs and the dialog may be closed at once. */
function BySentCode({ method, onClose }: BySentCodeProps) {
  const [sent, setSent] = useState<{ session_token: string; sent_to: string }>();
  const send = useAction({
    run: () => call(sendStepUpCode),
    failure: 'Failed to send a code',
    done: setSent,
  });
  if (sent) return <SentCode {...sent} method={method} onClose={onClose} />;
  return (
    <>
      <p className={classes.text}>
        Your account uses two-factor authentication. We send you a 6-digit code by {NAMES[method]}.
      </p>
      <DialogActions>
        <Button variant="default" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <Button autoFocus loading={send.isPending} onClick={() => send.mutate()}>
          Send Code
        </Button>
      </DialogActions>
    </>
  );
}

function SentCode(props: BySentCodeProps & { session_token: string; sent_to: string }) {
  const { session_token, sent_to, method, onClose } = props;
  const form = useBodyForm({
    schema: StepUpBody,
    initialValues: { code: '' },
    toBody: ({ code }: { code: string }) => ({ code, session_token }),
    whenEmpty: { code: CODE_LENGTH_MESSAGE },
    submit: (body) => call(stepUp, { body }),
    failure: 'Invalid verification code',
    onSuccess: () => onClose(true),
  });
  return (
    <Form form={form} label="Confirm it is you">
      <p className={classes.text}>
        We sent a 6-digit code by {NAMES[method]} ({sent_to}).
      </p>
      <CodeInput
        label="Verification code"
        autoFocus
        onComplete={form.onSubmit}
        {...form.fields.getInputProps('code')}
      />
      <ResendButton sessionToken={session_token} onProblem={form.setProblem} />
      <Actions form={form} onClose={onClose} />
    </Form>
  );
}
