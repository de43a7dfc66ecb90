import { Button, TextInput } from '@mantine/core';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import { RecoveryCodeBody, verifyRecoveryCode } from '@sixdigit/contract/second-factors/second-factors.ts';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import classes from './auth.module.css';
import { useEnter } from './enter.ts';

interface Props {
  sessionToken: string;
  back: string;
  onBack: () => void;
  children: ReactNode;
}

/** For a user who has lost the second factor. */
export function EnterRecoveryCode({ sessionToken, back, onBack, children }: Props) {
  const enter = useEnter();
  const form = useBodyForm({
    schema: RecoveryCodeBody.pick({ recovery_code: true }),
    initialValues: { recovery_code: '' },
    whenEmpty: { recovery_code: REQUIRED },
    submit: ({ recovery_code }) =>
      call(verifyRecoveryCode, { body: { session_token: sessionToken, recovery_code } }),
    failure: 'Invalid recovery code',
    onSuccess: enter,
  });
  return (
    <>
      <h1>Enter a recovery code</h1>
      <p className={classes.lead}>
        Enter one of the codes that you stored when you set up your second factor. Each works once.
      </p>
      <Form form={form}>
        <TextInput
          label="Recovery code"
          placeholder="XXXX-XXXX-XXXX-XXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          {...form.field('recovery_code')}
        />
        <SubmitButton form={form} busy="Verifying..." fullWidth>
          Use Recovery Code
        </SubmitButton>
        <div className={classes.minor}>
          <Button variant="subtle" onClick={onBack}>
            {back}
          </Button>
        </div>
      </Form>
      {children}
    </>
  );
}
