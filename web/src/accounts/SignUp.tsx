import { TextInput } from '@mantine/core';
import { SignUpBody, signUp } from '@sixdigit/contract/accounts/sign-in.ts';
import { EMAIL_MESSAGE, PHONE_MESSAGE } from '@sixdigit/contract/field.ts';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { toast } from '../api/toast.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { NewPasswordFields, whenPasswordsEmpty } from '../form/NewPasswordFields.tsx';
import { PhoneInput } from '../form/PhoneInput.tsx';
import { phoneToSend } from '../form/phone-text.ts';
import { PageLink } from '../ui/links.tsx';
import { useEntry } from './enter.ts';
import { Intro, Notice, OtherPage } from './FormText.tsx';
import { type Invited, useInvited } from './invitation.ts';
import { joinedText } from './joined.ts';
import { VerifyCode } from './VerifyCode.tsx';

export function SignUp() {
  const invited = useInvited();
  return invited === 'loading' ? null : <SignUpForm invited={invited} />;
}

function SignUpForm({ invited }: { invited: Invited | undefined }) {
  // The sign-up accepts the invitation.
  const { step, setStep, onReply } = useEntry('sign-up', invited && '/');

  const form = useBodyForm({
    schema: SignUpBody,
    initialValues: { email: invited?.email ?? '', phone_number: '', password: '', confirm_password: '' },
    toBody: (values) => ({
      ...values,
      ...(invited && { invitation: invited.token }),
      phone_number: phoneToSend(values.phone_number),
    }),
    whenEmpty: {
      email: EMAIL_MESSAGE,
      phone_number: PHONE_MESSAGE,
      ...whenPasswordsEmpty,
    },
    submit: (body) => call(signUp, { body }),
    failure: 'An unexpected error occurred',
    onSuccess: async (reply) => {
      await onReply(reply);
      // Without the toast, the page is as complete.
      if (invited) await joinedText().then(toast.success, () => undefined);
    },
  });

  if (step?.session_token) {
    return (
      <VerifyCode
        sessionToken={step.session_token}
        method={step.two_factor_method === 'sms' ? 'sms' : 'email'}
        sentTo={step.sent_to}
        recipient={
          // empty after a reload, which restores only the step
          form.fields.values[step.two_factor_method === 'sms' ? 'phone_number' : 'email'] || undefined
        }
        back="Back to Sign Up"
        onBack={() => setStep(undefined)}
      />
    );
  }
  return (
    <>
      <Intro title="Create your account">
        {invited ? (
          <>
            To join{' '}
            {invited.account_name ? <bdi>“{invited.account_name}”</bdi> : 'the account that invited you'}.
          </>
        ) : (
          'Send your first code in a few minutes.'
        )}
      </Intro>
      <Form form={form}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus={!invited}
          readOnly={invited !== undefined}
          {...form.field('email')}
        />
        <PhoneInput
          label={invited ? 'Phone number (optional)' : 'Phone number'}
          {...form.field('phone_number')}
        />
        <NewPasswordFields form={form} label="Password" />
        <Notice>
          {invited ? 'If you enter a phone number' : 'By signing up'}, you agree to receive verification codes
          from {deployment().brand_name} by SMS. Message and data rates may apply. Reply STOP to opt out, HELP
          for help. See our{' '}
          <PageLink to="/privacy" target="_blank" className="whitespace-nowrap">
            Privacy Policy
          </PageLink>{' '}
          and{' '}
          <PageLink to="/terms" target="_blank" className="whitespace-nowrap">
            Terms of Service
          </PageLink>
          .
        </Notice>
        <SubmitButton form={form} busy="Creating account..." fullWidth>
          Sign Up
        </SubmitButton>
      </Form>
      <OtherPage>
        Already have an account?{' '}
        <PageLink to="/sign-in" search={true}>
          Sign In
        </PageLink>
      </OtherPage>
    </>
  );
}
