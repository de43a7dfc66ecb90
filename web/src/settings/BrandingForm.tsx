import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { type Branding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import {
  CODE_LENGTH,
  DEFAULT_MESSAGE,
  DEFAULT_SUBJECT,
  EXPIRY_SECONDS,
} from '@sixdigit/contract/code-message.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { AUTO_PURCHASE, branding } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { invalidate, store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { type BodyForm, Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { AutoPurchaseInputs } from '../payments/AutoPurchaseInputs.tsx';
import { LowBalanceInput } from '../payments/LowBalanceInput.tsx';
import { LANGUAGE_CHOICES } from '../ui/display-names.ts';

import { FoldedPanel } from '../ui/FoldedPanel.tsx';
import { hasFailed, Placeholder, QueryError } from '../ui/Loaded.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Bar, Near, Waiting } from '../ui/Near.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Switch } from '../ui/Switch.ts';
import { type BrandingValues, bodyOf, valuesOf } from './branding-values.ts';
import { FieldsWaiting } from './FieldsWaiting.tsx';
import { GroupTitle } from './GroupTitle.tsx';
import classes from './Settings.module.css';

const Previews = lazyPart(async () => (await import('./Previews.tsx')).Previews);

export function BrandingSettings() {
  const query = useQuery(branding);
  const isBeside = useMediaQuery('(min-width: 1080px)', undefined, { getInitialValueInEffect: false });
  if (query.data) return <BrandingForm kept={query.data} isBeside={isBeside} />;
  if (hasFailed(query)) return <QueryError query={query} message="Failed to load the OTP configuration" />;
  return (
    <div className={BESIDE}>
      <Panel>
        <Placeholder>
          <FieldsWaiting
            rows={['Message', 2, 1, 1, 1, 1, 'Codes', 2, 'Low balance', 1, 2, 1]}
            className="min-h-273 max-sm:min-h-348 min-[1080px]:min-h-283"
          />
        </Placeholder>
      </Panel>
      {isBeside ? <PreviewsWaiting /> : <Panel {...PREVIEWS} />}
    </div>
  );
}

const BESIDE = 'grid grid-cols-1 gap-5 min-[1080px]:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)]';

const PREVIEWS = { title: 'Previews', description: 'Your messages as recipients get them.' };

const PreviewsWaiting = () => (
  <div className="grid grid-cols-1 gap-5">
    <Panel title="SMS preview" description="The exact text of the message.">
      <Bar className="h-40" />
    </Panel>
    <Panel title="Email preview" description="The email as your recipients see it.">
      <Bar className="h-150" />
    </Panel>
  </div>
);

function BrandingForm({ kept, isBeside }: { kept: Branding; isBeside: boolean }) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/accounts/branding.ts')).BrandingBody,
    initialValues: valuesOf(kept),
    toBody: (values: BrandingValues) => bodyOf(values, kept),
    submit: (body) => call(updateBranding, { body }),
    failure: 'Failed to save changes',
    onSuccess: async (reply, sent) => {
      await store(queryClient, branding, reply);
      form.fields.setValues((now) => followed(now, sent, valuesOf(reply)));
      // The low-balance notice appears on every screen.
      await invalidate(queryClient, getMe);
      toast.success('Changes saved successfully');
    },
  });
  useUnsaved('OTP Configuration', form, valuesOf(kept));
  const previews = <Previews body={bodyOf(form.fields.values, kept)} />;
  return (
    <div className={BESIDE}>
      <Panel>
        <Form form={form} label="OTP Configuration">
          <MailFields form={form} />
          <CodeFields form={form} />
          <CreditFields form={form} kept={kept} />
          <SaveButton form={form}>Save Changes</SaveButton>
        </Form>
      </Panel>
      {isBeside ? (
        <Near
          room={63}
          waiting={(isSeen) => (
            <Waiting isSeen={isSeen}>
              <PreviewsWaiting />
            </Waiting>
          )}
        >
          {previews}
        </Near>
      ) : (
        <FoldedPanel id="previews" {...PREVIEWS}>
          {previews}
        </FoldedPanel>
      )}
    </div>
  );
}

type Fields = { form: BodyForm<BrandingValues> };

const MailFields = ({ form }: Fields) => (
  <>
    <GroupTitle>Message</GroupTitle>
    <div className={`${classes.pair} grid items-start gap-4`}>
      <TextInput
        label="Sender name"
        placeholder={deployment().brand_name}
        autoComplete="off"
        {...form.field('sender_name')}
      />
      <TextInput
        label="Reply-to email"
        type="email"
        placeholder="support@example.com"
        autoComplete="off"
        {...form.field('reply_to_email')}
      />
    </div>
    <NativeSelect
      label="Language"
      description="Of your messages and calls, unless a send asks for another one."
      data={LANGUAGE_CHOICES}
      {...form.field('default_language')}
    />
    <Switch
      label="Follow the recipient's country"
      description="A send that asks for no language uses that of the phone number's country."
      {...form.field('language_by_country')}
    />
    <TextInput
      label="Default subject"
      description="With {code}, locked screens show the code."
      placeholder={DEFAULT_SUBJECT}
      autoComplete="off"
      {...form.field('default_subject')}
    />
    <Textarea
      label="Default message"
      description="For email and SMS. Put {code} where the code goes."
      placeholder={DEFAULT_MESSAGE}
      rows={4}
      {...form.field('default_message')}
    />
  </>
);

const CodeFields = ({ form }: Fields) => (
  <>
    <GroupTitle>Codes</GroupTitle>
    <div className="grid grid-cols-2 items-start gap-4">
      <WholeNumberInput
        label="OTP length"
        description={`${CODE_LENGTH.min} to ${CODE_LENGTH.max} digits`}
        unit="digits"
        fallback={CODE_LENGTH.default}
        {...form.field('default_otp_length')}
      />
      <WholeNumberInput
        label="Expiry time"
        description={`${EXPIRY_SECONDS.min} to ${EXPIRY_SECONDS.max} seconds`}
        unit="seconds"
        fallback={EXPIRY_SECONDS.default}
        {...form.field('default_expiry_seconds')}
      />
    </div>
  </>
);

/** Scrolls to an element and focuses its input if the address names it. */
function useWanted(id: string) {
  const element = useRef<HTMLDivElement>(null);
  const isWanted = useLocation({ select: ({ hash }) => hash === id });
  useEffect(() => {
    if (!isWanted) return;
    element.current?.scrollIntoView();
    element.current?.querySelector('input')?.focus({ preventScroll: true });
  }, [isWanted]);
  return element;
}

function CreditFields({ form, kept }: Fields & { kept: Branding }) {
  const isOff = !form.fields.values.auto_purchase_enabled;
  const autoPurchase = useWanted(AUTO_PURCHASE);
  return (
    <>
      <GroupTitle id="billing">Low balance</GroupTitle>
      <div ref={autoPurchase} id={AUTO_PURCHASE} className={classes.anchor}>
        <Switch
          label="Enable auto-purchase"
          description="Buys credits with your saved card when the balance falls below the threshold."
          {...form.field('auto_purchase_enabled')}
        />
      </div>
      <div className={`${classes.pair} grid items-start gap-4`}>
        <AutoPurchaseInputs
          isOff={isOff}
          threshold={form.field('auto_purchase_threshold')}
          amount={form.field('auto_purchase_amount')}
        />
      </div>
      <LowBalanceInput
        isDefault={kept.low_balance_threshold === null}
        {...form.field('low_balance_threshold')}
      />
    </>
  );
}
