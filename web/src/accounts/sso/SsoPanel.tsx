import { Button, NativeSelect, TextInput } from '@mantine/core';
import {
  checkSso,
  getSso,
  removeSso,
  SSO_DEFAULT_ROLES,
  type Sso,
  SsoBody,
  type SsoState,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/call.ts';
import { invalidate, store } from '../../api/read.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { busyButton } from '../../ui/busy-button.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { LazyConfirmDialog } from '../../ui/OnceOpened.tsx';
import { PasswordInput } from '../../ui/PasswordInput.ts';
import { Switch } from '../../ui/Switch.ts';
import { toast } from '../../ui/toast.ts';
import { currentUser } from '../current-user.ts';
import { members } from '../members/members.ts';
import { roleNames, roleTexts } from '../role-texts.ts';
import { domainStateOf } from './domain-state.ts';
import { sso } from './sso.ts';

/** Sets up single sign-on with the account's own identity provider. */
export function SsoPanel() {
  const query = useQuery(sso);
  return (
    <Loaded query={query} failure="Failed to load single sign-on">
      {(state) => <Setup key={state.settings?.updated_at ?? 'new'} state={state} />}
    </Loaded>
  );
}

function Setup({ state: { settings, redirect_url } }: { state: SsoState }) {
  const [issuerProblem, setIssuerProblem] = useState<string>();
  return (
    <div className="grid max-w-208 grid-cols-1 gap-5">
      <Copied name="Redirect URL" value={redirect_url}>
        Register it at your identity provider.
      </Copied>
      <SsoForm settings={settings} issuerProblem={issuerProblem} />
      {settings ? <Domain settings={settings} onIssuer={setIssuerProblem} /> : null}
      {settings ? <TurnOff /> : null}
    </div>
  );
}

interface CopiedProps {
  name: string;
  value: string;
  children?: ReactNode;
}

/** A value to copy to another service. */
const Copied = ({ name, value, children }: CopiedProps) => (
  <div className="grid gap-1">
    <span className="text-14 font-500">{name}</span>
    <div className="flex items-center justify-between gap-2 rounded-10 bg-sunken py-1 ps-3 pe-1">
      <code className="min-w-0 font-mono text-13 wrap-anywhere">{value}</code>
      <CopyButton
        value={value}
        label={`Copy the ${name.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`}
        withToast
      />
    </div>
    {children ? <span className="text-13 text-ink-soft">{children}</span> : null}
  </div>
);

interface SsoFormProps {
  settings: Sso | null;
  /** what the last check found at the provider */
  issuerProblem: string | undefined;
}

function SsoForm({ settings, issuerProblem }: SsoFormProps) {
  const queryClient = useQueryClient();
  const { data: user } = useQuery(currentUser);
  const { data: people } = useQuery(members);
  const owners = people?.results.filter(({ role }) => role === 'owner') ?? [];
  const isExempting = ({ required }: { required: boolean }): boolean =>
    required || Boolean(settings?.exempt_person_id);
  const form = useBodyForm({
    schema: SsoBody,
    initialValues: {
      issuer: settings?.issuer ?? '',
      client_id: settings?.client_id ?? '',
      client_secret: '',
      domain: settings?.domain ?? '',
      default_role: settings?.default_role ?? ('developer' as const),
      required: settings?.required ?? false,
      exempt_person_id: settings?.exempt_person_id ?? user?.id ?? '',
    },
    toBody: (values) => (isExempting(values) ? values : { ...values, exempt_person_id: undefined }),
    submit: (body) => call(updateSso, { body }),
    failure: 'Failed to save single sign-on',
    onSuccess: async (saved) => {
      await store(queryClient, sso, saved);
      await invalidate(queryClient, listAuditEntries);
      toast.success('Single sign-on saved');
    },
  });
  const whyNotRequired = !settings
    ? 'Save the settings first.'
    : settings.domain_status === 'pending'
      ? 'Verify the domain first.'
      : settings.signed_in_at === null
        ? 'Sign in with SSO once first.'
        : undefined;
  const issuer = form.field('issuer');
  const isLocked = whyNotRequired !== undefined && !settings?.required;
  return (
    <Form form={form} label="Single sign-on">
      <TextInput
        label="Issuer"
        description="Exactly as in the provider’s discovery document."
        placeholder="https://login.example.com"
        inputMode="url"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        {...issuer}
        error={issuer.error ?? (form.fields.isDirty('issuer') ? undefined : issuerProblem)}
      />
      <div className="grid grid-cols-1 items-start gap-4 min-[720px]:grid-cols-2">
        <TextInput label="Client ID" autoComplete="off" spellCheck={false} {...form.field('client_id')} />
        <PasswordInput
          label="Client Secret"
          autoComplete="off"
          {...(settings && {
            placeholder: 'Unchanged',
            description: 'Leave empty to keep the current secret.',
          })}
          {...form.field('client_secret')}
        />
        <TextInput
          label="Domain"
          description="People with email addresses in this domain can sign in with SSO."
          placeholder="example.com"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          {...form.field('domain')}
        />
        <NativeSelect
          label="Default Role"
          description={roleTexts[form.fields.values.default_role]}
          {...form.field('default_role')}
          data={SSO_DEFAULT_ROLES.map((role) => ({ value: role, label: roleNames[role] }))}
        />
      </div>
      <Switch
        label="Require SSO for this domain"
        description={
          isLocked
            ? whyNotRequired
            : 'Members with email addresses in this domain can then open the account only with SSO. One owner stays exempt in case the provider fails.'
        }
        disabled={isLocked}
        {...form.field('required')}
      />
      {isExempting(form.fields.values) ? (
        <NativeSelect
          label="Exempt Owner"
          description="Can always sign in with a password or passkey."
          className="max-w-100"
          {...form.field('exempt_person_id')}
          data={owners.map(({ person_id, name, email }) => ({ value: person_id, label: name || email }))}
        />
      ) : null}
      <SubmitButton form={form} busy="Saving..." className="self-start">
        {settings ? 'Save SSO' : 'Set Up SSO'}
      </SubmitButton>
    </Form>
  );
}

/** The DNS record that proves the domain, and the checks. */
function Domain({ settings, onIssuer }: { settings: Sso; onIssuer: (problem: string | undefined) => void }) {
  const queryClient = useQueryClient();
  const { tone, label, sentence, needsRecord } = domainStateOf(settings);
  const check = useAction({
    run: () => call(checkSso),
    failure: 'Failed to run the check',
    done: async ({ issuer_problem, ...state }) => {
      await store(queryClient, sso, state);
      onIssuer(issuer_problem ?? undefined);
      if (issuer_problem === null && state.settings?.domain_status === 'verified')
        toast.success('The domain and the provider are ready');
    },
  });
  return (
    <section
      aria-label="Domain and provider"
      className="grid grid-cols-1 gap-3 rounded-10 border border-line px-3.5 py-3"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="grid min-w-0 flex-[1_1_16rem] gap-[0.15rem]">
          <span className="flex flex-wrap items-center gap-2 font-550 wrap-anywhere">
            {settings.domain} <Badge tone={tone}>{label}</Badge>
          </span>
          <span className="text-13 text-ink-soft">{sentence}</span>
          <span className="text-13 text-ink-soft">
            {settings.signed_in_at
              ? `Last sign-in with SSO ${shortDateTime(settings.signed_in_at)}.`
              : 'Nobody has signed in with SSO yet.'}
          </span>
        </div>
        <Button
          variant="default"
          size="compact-sm"
          {...busyButton(check.isPending)}
          onClick={() => {
            if (!check.isPending) check.mutate();
          }}
        >
          {check.isPending ? 'Checking...' : 'Check Now'}
        </Button>
      </div>
      {settings.last_failure ? (
        <p className="m-0 text-13 text-red">
          Last failed sign-in, {shortDateTime(settings.last_failure.at)}: {settings.last_failure.text}
        </p>
      ) : null}
      <details className="text-13" open={needsRecord}>
        <summary className="w-fit cursor-pointer py-[0.35rem] text-ink-soft touch:py-3">
          DNS record (TXT)
        </summary>
        <div className="grid gap-3">
          <Copied name="Record name" value={settings.record_name} />
          <Copied name="Record value" value={settings.record_value} />
        </div>
      </details>
    </section>
  );
}

function TurnOff() {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction({
    run: () => call(removeSso),
    success: 'Single sign-on is off',
    failure: 'Failed to turn off single sign-on',
    refresh: [getSso, listAuditEntries],
    done: () => setAsking(false),
  });
  return (
    <div>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        Turn Off SSO
      </Button>
      <LazyConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Turn Off SSO"
        confirm="Turn Off"
        isDangerous
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p className="m-0 text-ink-soft">
          All SSO sessions end, except your own. Members keep their roles and sign in with a password or
          passkey. If they have neither, they set a password with “Forgot your password?”.
        </p>
      </LazyConfirmDialog>
    </div>
  );
}
