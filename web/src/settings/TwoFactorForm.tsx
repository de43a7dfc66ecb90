import {
  getMe,
  TWO_FACTOR_METHODS,
  type TwoFactor,
  updateTwoFactor,
} from '@sixdigit/contract/accounts/accounts.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import { profile, twoFactor } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { invalidate, store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { PhoneInput } from '../form/PhoneInput.tsx';
import { fieldOfPhone, isForeign, isSamePhone, phoneOfField } from '../form/phone-value.ts';
import { useUnsaved } from '../form/UnsavedChanges.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { Panel } from '../ui/Panel.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { Switch } from '../ui/Switch.ts';

const ProvePhone = lazy(async () => ({ default: (await import('./ProvePhone.tsx')).ProvePhone }));

export function TwoFactorPanel() {
  const query = useQuery(twoFactor);
  return (
    <Panel
      title="Two-factor authentication"
      description="When on, signing in requires a code that we send you, in addition to your password."
    >
      <Loaded query={query} failure="Failed to load the two-factor settings" waiting={2}>
        {(loaded) => <TwoFactorSettings kept={loaded} />}
      </Loaded>
    </Panel>
  );
}

type Body = Given<typeof updateTwoFactor, 'body'>;
/** A change that requires the code sent to the phone. */
interface Unproven {
  body: Body;
  session_token: string;
}

function TwoFactorSettings({ kept }: { kept: TwoFactor }) {
  const queryClient = useQueryClient();
  const [unproven, setUnproven] = useState<Unproven>();

  const changed = async (settings: TwoFactor): Promise<void> => {
    await store(queryClient, twoFactor, settings);
    setUnproven(undefined);
    await Promise.all([
      queryClient.invalidateQueries({ ...profile, exact: true }),
      invalidate(queryClient, getMe),
    ]);
    toast.success('Two-factor authentication settings updated successfully');
  };
  return unproven ? (
    <Suspense>
      <ProvePhone {...unproven} onBack={() => setUnproven(undefined)} onDone={changed} />
    </Suspense>
  ) : (
    <TwoFactorForm
      // The saved values become the form's initial values.
      key={JSON.stringify(kept)}
      kept={kept}
      onUnproven={(body, session_token) => setUnproven({ body, session_token })}
      onDone={changed}
    />
  );
}

interface Props {
  kept: TwoFactor;
  onUnproven: (body: Body, sessionToken: string) => void;
  onDone: (settings: TwoFactor) => Promise<void>;
}

const methodNames = { sms: 'SMS', email: 'Email' } as const;
/** NIST SP 800-63B-4, 3.1.3: SMS is a restricted authenticator, and email must not be used. */
const weaknesses = {
  sms: 'The weakest option: texts can be intercepted, and phone numbers can be taken over. Use a passkey or an authenticator app if you can.',
  email: 'As safe as your mailbox. A passkey or an authenticator app is safer.',
} as const;

function TwoFactorForm({ kept, onUnproven, onDone }: Props) {
  const methodId = useId();
  const initialValues = { ...kept, phone_number: fieldOfPhone(kept.phone_number), current_password: '' };
  type Values = typeof initialValues;
  const usesPhone = (values: Values): boolean =>
    values.two_factor_enabled && values.two_factor_method === 'sms';
  const isChanged = (values: Values): boolean =>
    values.two_factor_enabled !== kept.two_factor_enabled ||
    values.two_factor_method !== kept.two_factor_method ||
    (usesPhone(values) && !isSamePhone(values.phone_number, kept.phone_number));

  const form = useBodyForm({
    schema: async () =>
      (await import('@sixdigit/contract/accounts/accounts.ts')).TwoFactorBody.refine(
        (body) => body.current_password !== '',
        {
          message: REQUIRED,
          path: ['current_password'],
        },
      ),
    initialValues,
    toBody: (values: Values) => ({
      two_factor_enabled: values.two_factor_enabled,
      two_factor_method: values.two_factor_method,
      ...(usesPhone(values) && { phone_number: phoneOfField(values.phone_number) }),
      ...(isChanged(values) && { current_password: values.current_password }),
    }),
    submit: async (body) => ({ body, reply: await call(updateTwoFactor, { body }) }),
    failure: 'Failed to update 2FA settings',
    onSuccess: ({ body, reply: { requires_code, session_token, ...settings } }) =>
      requires_code && session_token ? onUnproven(body, session_token) : onDone(settings),
  });
  const { fields } = form;
  useUnsaved('Two-factor authentication', form, initialValues);

  return (
    <Form form={form} label="Two-factor authentication">
      <Switch label="Enable two-factor authentication" {...form.field('two_factor_enabled')} />
      {fields.values.two_factor_enabled ? (
        <div className="grid justify-items-start gap-[0.35rem]">
          <span id={methodId} className="text-14 font-550">
            Method
          </span>
          <SegmentedControl
            aria-labelledby={methodId}
            data={TWO_FACTOR_METHODS.map((method) => ({ value: method, label: methodNames[method] }))}
            value={fields.values.two_factor_method}
            onChange={(method) => fields.setFieldValue('two_factor_method', method as 'sms' | 'email')}
          />
          <p className="m-0 text-13 text-ink-soft">{weaknesses[fields.values.two_factor_method]}</p>
          {fields.errors.two_factor_method ? (
            <p className="m-0 text-12 text-error" role="alert">
              {fields.errors.two_factor_method}
            </p>
          ) : null}
        </div>
      ) : null}
      {usesPhone(fields.values) ? (
        <PhoneInput
          label="Phone number"
          description="We send sign-in codes to this number. You confirm a new number with a code."
          isOfAnyCountry={isForeign(kept.phone_number)}
          {...form.field('phone_number')}
        />
      ) : null}
      {isChanged(fields.values) ? (
        <PasswordInput
          label="Current password"
          description="Required to change how you sign in."
          autoComplete="current-password"
          {...form.field('current_password')}
        />
      ) : null}
      <SaveButton form={form}>Save Two-Factor Settings</SaveButton>
    </Form>
  );
}
