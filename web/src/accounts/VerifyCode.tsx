import { Button } from '@mantine/core';
import { VerifyTwoFactorBody, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { lazy, type ReactNode, Suspense } from 'react';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { useEnter } from './enter.ts';
import { Intro } from './FormText.tsx';
import { ResendButton } from './ResendButton.tsx';

interface Props {
  sessionToken: string;
  method: 'authenticator' | 'sms' | 'email' | undefined;
  /** the masked address */
  sentTo?: string | undefined;
  /** the whole address, if this browser has just sent it */
  recipient?: string | undefined;
  back: 'Back to Sign In' | 'Back to Sign Up';
  /** discards the session token */
  onBack: () => void;
  /** other ways to complete the sign-in */
  children?: ReactNode;
}

export const CODE_LENGTH_MESSAGE = 'Verification code must be 6 digits';

const SandboxCode = lazy(async () => ({ default: (await import('./SandboxCode.tsx')).SandboxCode }));

/** The code step of sign-in and sign-up. */
export function VerifyCode({ sessionToken, method, sentTo, recipient, back, onBack, children }: Props) {
  const enter = useEnter();
  const form = useBodyForm({
    schema: VerifyTwoFactorBody.pick({ code: true }),
    initialValues: { code: '' },
    whenEmpty: { code: CODE_LENGTH_MESSAGE },
    submit: ({ code }) =>
      call(verifyTwoFactor, {
        body: { session_token: sessionToken, code, ...(method === 'authenticator' && { method }) },
      }),
    failure: 'Invalid verification code',
    onSuccess: enter,
  });

  return (
    <>
      <Intro title="Enter your code">{sentence(method, sentTo)}</Intro>
      {recipient && isCaught(method) ? (
        <Suspense>
          <SandboxCode recipient={recipient} onUse={(code) => form.fields.setFieldValue('code', code)} />
        </Suspense>
      ) : null}
      <Form form={form}>
        <CodeInput label="Verification code" autoFocus onComplete={form.onSubmit} {...form.field('code')} />
        <SubmitButton form={form} busy="Verifying..." fullWidth>
          Verify Code
        </SubmitButton>
        <div className="grid gap-2">
          {method === 'authenticator' ? null : (
            <ResendButton sessionToken={sessionToken} onProblem={form.setProblem} />
          )}
          <Button variant="subtle" onClick={onBack}>
            {back}
          </Button>
        </div>
      </Form>
      {children}
    </>
  );
}

/** Whether the code goes to a sandbox inbox that this browser can read. */
function isCaught(method: Props['method']): boolean {
  const { sandbox } = deployment();
  return (
    method !== undefined &&
    method !== 'authenticator' &&
    Boolean(sandbox?.inbox && sandbox.channels.includes(method))
  );
}

function sentence(method: Props['method'], sentTo: string | undefined): string {
  if (method === 'authenticator') return 'Enter the 6-digit code that your authenticator app shows.';
  if (method === 'sms') return `We sent a 6-digit code by SMS to your phone${sentTo ? ` (${sentTo})` : ''}.`;
  return `We sent a 6-digit code to your email address${sentTo ? ` (${sentTo})` : ''}.`;
}
