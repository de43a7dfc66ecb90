import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import {
  checkSso,
  getSso,
  removeSso,
  SSO_DEFAULT_ROLES,
  SSO_SESSION_HOURS,
  SSO_SESSION_HOURS_MAX,
  type Sso,
  SsoBody,
  type SsoState,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { roleNames, roleTexts } from '../accounts/role-texts.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { invalidate, store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { DomainProof } from '../ui/DomainFacts.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { LazyConfirmDialog } from '../ui/lazy-dialog.tsx';
import { NumberInput } from '../ui/NumberInput.ts';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { Switch } from '../ui/Switch.ts';
import { domainStateOf } from './domain-state.ts';
import { members } from './members.ts';
import { CopiedUrl, ProviderGuide } from './ProviderGuide.tsx';
import { sso } from './sso.ts';
import { TestSignIn } from './TestSignIn.tsx';

/** What the last check found at the provider. */
interface IssuerProblem {
  issuer: string;
  text: string;
}

/** Loaded once single sign-on is being set up. */
export function SsoSetup({
  state: { settings, redirect_url, start_url },
  onOff,
}: {
  state: SsoState;
  onOff: () => void;
}) {
  const [issuerProblem, setIssuerProblem] = useState<IssuerProblem>();
  return (
    <div className="grid grid-cols-1 gap-5">
      {settings?.shared_redirect ? <ChangeRedirect settings={settings} /> : null}
      <ProviderGuide issuer={settings?.issuer} redirectUrl={redirect_url} />
      <SsoForm settings={settings} issuerProblem={issuerProblem} onCancel={onOff} />
      {settings ? <Domain settings={settings} onIssuer={setIssuerProblem} /> : null}
      {settings ? (
        <CopiedUrl
          label="Sign-in URL"
          description="Optional: for a tile in your provider’s list of applications (“Initiate login URI”)."
          value={start_url}
        />
      ) : null}
      {settings ? <TurnOff onDone={onOff} /> : null}
    </div>
  );
}

/** For settings from before each account had a redirect URL of its own. */
function ChangeRedirect({ settings }: { settings: Sso }) {
  const queryClient = useQueryClient();
  const change = useAction({
    run: () => {
      const { issuer, client_id, domain, default_role, required } = settings;
      return call(updateSso, {
        body: { issuer, client_id, domain, default_role, required, shared_redirect: false },
      });
    },
    success: 'Sign-ins use the new redirect URL',
    failure: 'Failed to change the redirect URL',
    refresh: [listAuditEntries],
    done: (reply) => store(queryClient, sso, reply),
  });
  return (
    <Alert color="orange" variant="light" title="Change the redirect URL">
      <p className="mt-0">
        Sign-ins still use a redirect URL that all accounts share. They work only if your provider sends “iss”
        with its response. Add the redirect URL below at your provider, then use it here. After that, remove
        the earlier one at your provider.
      </p>
      <Button
        variant="default"
        size="compact-sm"
        {...busyButton(change.isPending)}
        onClick={() => {
          if (!change.isPending) change.mutate();
        }}
      >
        Use the New Redirect URL
      </Button>
    </Alert>
  );
}

const valuesOf = (settings: Sso | null, own: string | undefined) => ({
  issuer: settings?.issuer ?? '',
  client_id: settings?.client_id ?? '',
  client_secret: '',
  domain: settings?.domain ?? '',
  default_role: settings?.default_role ?? ('developer' as const),
  session_hours: settings?.session_hours ?? SSO_SESSION_HOURS,
  required: settings?.required ?? false,
  exempt_person_id: settings?.exempt_person_id ?? own ?? '',
});

interface SsoFormProps {
  settings: Sso | null;
  issuerProblem: IssuerProblem | undefined;
  onCancel: () => void;
}

function SsoForm({ settings, issuerProblem, onCancel }: SsoFormProps) {
  const queryClient = useQueryClient();
  const { data: user } = useQuery(currentUser);
  const { data: people } = useQuery(members);
  const owners = people?.results.filter(({ role }) => role === 'owner') ?? [];
  const isExempting = ({ required }: { required: boolean }): boolean =>
    required || Boolean(settings?.exempt_person_id);
  const saved = valuesOf(settings, user?.id);
  const form = useBodyForm({
    schema: SsoBody,
    initialValues: saved,
    toBody: (values) => (isExempting(values) ? values : { ...values, exempt_person_id: undefined }),
    submit: (body) => call(updateSso, { body }),
    failure: 'Failed to save single sign-on',
    onSuccess: async (reply, sent) => {
      await store(queryClient, sso, reply);
      form.fields.setValues((now) => followed(now, sent, valuesOf(reply.settings, user?.id)));
      await invalidate(queryClient, listAuditEntries);
      toast.success('Single sign-on saved');
    },
  });
  useUnsaved('Single sign-on', form, saved);
  const whyNotRequired = !settings
    ? 'Save the settings first.'
    : settings.domain_status === 'pending'
      ? 'Verify the domain first.'
      : settings.signed_in_at === null
        ? 'Sign in with SSO once first.'
        : undefined;
  const issuer = form.field('issuer');
  const [isTesting, setTesting] = useState(false);
  const isLocked = whyNotRequired !== undefined && !settings?.required;
  return (
    <>
      <Form form={form} label="Single sign-on">
        <TextInput
          label="Issuer"
          description="The “issuer” value that your provider publishes."
          placeholder="https://login.example.com"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          autoFocus={!settings}
          {...issuer}
          error={issuer.error ?? (issuer.value === issuerProblem?.issuer ? issuerProblem?.text : undefined)}
        />
        <div className="grid grid-cols-1 items-start gap-4 min-[720px]:grid-cols-2">
          <TextInput label="Client ID" autoComplete="off" spellCheck={false} {...form.field('client_id')} />
          <PasswordInput
            label="Client secret"
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
            label="Default role"
            description={roleTexts[form.fields.values.default_role]}
            {...form.field('default_role')}
            data={SSO_DEFAULT_ROLES.map((role) => ({ value: role, label: roleNames[role] }))}
          />
          <NumberInput
            label="Session length"
            description="Hours until a member must sign in at the provider again."
            min={1}
            max={SSO_SESSION_HOURS_MAX}
            suffix=" hours"
            {...form.field('session_hours')}
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
            label="Exempt owner"
            description="Can always sign in with a password or passkey."
            className="max-w-100"
            {...form.field('exempt_person_id')}
            data={owners.map(({ person_id, name, email }) => ({ value: person_id, label: name || email }))}
          />
        ) : null}
        <div className="flex gap-2">
          {settings ? null : (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <SaveButton form={form} variant={settings ? 'default' : 'filled'}>
            Save SSO
          </SaveButton>
          <Button
            variant="default"
            className="ms-auto"
            onClick={() => {
              if (!form.fields.validate().hasErrors) setTesting(true);
            }}
          >
            Test Sign-in
          </Button>
        </div>
      </Form>
      <TestSignIn opened={isTesting} settings={form.fields.values} onClose={() => setTesting(false)} />
    </>
  );
}

/** The proof of the domain, and the checks of domain and provider. */
function Domain({
  settings,
  onIssuer,
}: {
  settings: Sso;
  onIssuer: (problem: IssuerProblem | undefined) => void;
}) {
  const queryClient = useQueryClient();
  const { issuer, domain, domain_checked_at: checked_at, record_name, record_value, last_failure } = settings;
  const check = useAction({
    run: () => call(checkSso),
    failure: 'Failed to run the check',
    done: async ({ issuer_problem, ...state }) => {
      await store(queryClient, sso, state);
      onIssuer(issuer_problem === null ? undefined : { issuer, text: issuer_problem });
      if (issuer_problem === null && state.settings?.domain_status === 'verified')
        toast.success('The domain and the provider are ready');
    },
  });
  return (
    <section aria-label="Domain and provider" className="rounded-10 border border-line px-3.5 py-3">
      <DomainProof
        proof={{ domain, checked_at, record_name, record_value }}
        state={domainStateOf(settings)}
        buttons={
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
        }
      >
        <span className="text-13 text-ink-soft">
          {settings.signed_in_at
            ? `Last sign-in with SSO ${shortDateTime(settings.signed_in_at)}.`
            : 'Nobody has signed in with SSO yet.'}
        </span>
        {last_failure ? (
          <span className="text-13 text-red">
            Last failed sign-in, {shortDateTime(last_failure.at)}: {last_failure.text}
          </span>
        ) : null}
      </DomainProof>
    </section>
  );
}

function TurnOff({ onDone }: { onDone: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction({
    run: () => call(removeSso),
    success: 'Single sign-on is off',
    failure: 'Failed to turn off single sign-on',
    refresh: [getSso, listAuditEntries],
    done: onDone,
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
