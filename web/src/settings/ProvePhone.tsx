import { Button } from '@mantine/core';
import { type TwoFactor, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { VerifyTwoFactorBody } from '@sixdigit/contract/accounts/sign-in.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { ResendButton } from '../accounts/ResendButton.tsx';
import { CODE_LENGTH_MESSAGE } from '../accounts/VerifyCode.tsx';
import { call } from '../api/call.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { fieldOfPhone } from '../form/phone-value.ts';

interface Props {
  /** the request to repeat with the code */
  body: Given<typeof updateTwoFactor, 'body'>;
  session_token: string;
  onBack: () => void;
  onDone: (settings: TwoFactor) => Promise<void>;
}

/** Asks for the code sent to the new number. The change takes effect after it. */
export function ProvePhone({ body, session_token, onBack, onDone }: Props) {
  const form = useBodyForm({
    schema: VerifyTwoFactorBody.pick({ code: true }),
    initialValues: { code: '' },
    whenEmpty: { code: CODE_LENGTH_MESSAGE },
    submit: ({ code }) => call(updateTwoFactor, { body: { ...body, session_token, code } }),
    failure: 'Invalid verification code',
    onSuccess: ({ requires_code: _, session_token: __, ...settings }) => onDone(settings),
  });
  return (
    <Form form={form} label="Verify the phone number">
      <p className="m-0 text-ink-soft">
        We sent a 6-digit code by SMS to {fieldOfPhone(body.phone_number ?? '')}. Enter it to use this number.
      </p>
      <CodeInput label="Verification code" autoFocus onComplete={form.onSubmit} {...form.field('code')} />
      <div className="flex flex-wrap gap-2.5">
        <SubmitButton form={form} busy="Verifying...">
          Verify Code
        </SubmitButton>
        <ResendButton sessionToken={session_token} onProblem={form.setProblem} />
        <Button variant="subtle" onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
