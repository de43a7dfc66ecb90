import { Button, PasswordInput } from '@mantine/core';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import { startPasskeyStepUp, stepUpWithPasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  getStepUp,
  StepUpBody,
  type StepUpMethod,
  sendStepUpCode,
  stepUp,
} from '@sixdigit/contract/second-factors/step-up.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { invalidate } from '../api/read.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { DialogActions } from '../ui/Dialog.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { currentUser } from './current-user.ts';
import { PasskeyButton } from './PasskeyButton.tsx';
import { ResendButton } from './ResendButton.tsx';
import classes from './StepUpDialog.module.css';
import { CODE_LENGTH_MESSAGE } from './VerifyCode.tsx';

/** The proofs that the dialog accepts. */
export type OnClose = (isProven: boolean) => void;

export function ByPassword({ onClose }: { onClose: OnClose }) {
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
      <PasswordInput label="Password" autoComplete="current-password" autoFocus {...form.field('password')} />
      <Actions form={form} onClose={onClose} />
    </Form>
  );
}

export function ByPasskey({ onClose }: { onClose: OnClose }) {
  const [problem, setProblem] = useState<string>();
  const queryClient = useQueryClient();
  return (
    <>
      <ErrorAlert problem={problem} />
      <p className={classes.text}>
        Your device asks for your fingerprint, your face or its PIN, or for a security key.
      </p>
      <DialogActions>
        <Button variant="default" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <PasskeyButton
          start={() => call(startPasskeyStepUp)}
          finish={(credential) => call(stepUpWithPasskey, { body: { credential } })}
          onDone={() => onClose(true)}
          onProblem={setProblem}
          onSuspected={() => void invalidate(queryClient, getStepUp)}
          autoFocus
        >
          Use Passkey
        </PasskeyButton>
      </DialogActions>
    </>
  );
}

export const ByAuthenticator = ({ onClose }: { onClose: OnClose }) => (
  <EnterCode onClose={onClose}>Enter the 6-digit code that your authenticator app shows.</EnterCode>
);

const NAMES = { email: 'email', sms: 'SMS' } as const;

interface BySentCodeProps {
  method: Extract<StepUpMethod, 'email' | 'sms'>;
  onClose: OnClose;
}

/** The code is sent on request, because a text costs and the dialog may be closed at once. */
export function BySentCode({ method, onClose }: BySentCodeProps) {
  const [sent, setSent] = useState<{ session_token: string; sent_to: string }>();
  const send = useAction({
    run: () => call(sendStepUpCode),
    failure: 'Failed to send a code',
    done: setSent,
  });
  if (sent)
    return (
      <EnterCode onClose={onClose} sessionToken={sent.session_token}>
        We sent a 6-digit code by {NAMES[method]} ({sent.sent_to}).
      </EnterCode>
    );
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

interface EnterCodeProps {
  onClose: OnClose;
  /** of the code that was sent; absent for the authenticator app */
  sessionToken?: string;
  children: ReactNode;
}

function EnterCode({ onClose, sessionToken, children }: EnterCodeProps) {
  const form = useBodyForm({
    schema: StepUpBody,
    initialValues: { code: '' },
    toBody: ({ code }: { code: string }) => ({
      code,
      ...(sessionToken !== undefined && { session_token: sessionToken }),
    }),
    whenEmpty: { code: CODE_LENGTH_MESSAGE },
    submit: (body) => call(stepUp, { body }),
    failure: 'Invalid verification code',
    onSuccess: () => onClose(true),
  });
  return (
    <Form form={form} label="Confirm it is you">
      <p className={classes.text}>{children}</p>
      <CodeInput label="Verification code" autoFocus onComplete={form.onSubmit} {...form.field('code')} />
      {sessionToken === undefined ? null : (
        <ResendButton sessionToken={sessionToken} onProblem={form.setProblem} />
      )}
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
