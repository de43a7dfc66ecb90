import { Button } from '@mantine/core';
import { changePassword } from '@sixdigit/contract/accounts/passwords.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { Restricted } from '../accounts/Restricted.tsx';
import { useMay } from '../accounts/role.ts';
import { sessions } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { toast } from '../api/toast.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { NewPasswordFields, whenPasswordsEmpty } from '../form/NewPasswordFields.tsx';
import { UnsavedChanges } from '../form/UnsavedChanges.tsx';
import { useMenuOf, useSections } from '../frame/sections.ts';
import { otherPages, pages } from '../pages.ts';
import { AuthenticatorPanel, RecoveryCodesPanel } from '../second-factors/AuthenticatorPanel.tsx';
import { PasskeysPanel } from '../second-factors/PasskeysPanel.tsx';
import { FoldedPanel } from '../ui/FoldedPanel.tsx';
import { Later } from '../ui/Later.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink } from '../ui/links.tsx';
import { Room } from '../ui/Near.tsx';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { BrandingSettings } from './BrandingForm.tsx';
import { ProfilePanel } from './ProfileForm.tsx';
import { Sessions } from './Sessions.tsx';
import classes from './Settings.module.css';
import { TwoFactorPanel } from './TwoFactorForm.tsx';

const empty = { current_password: '', password: '', confirm_password: '' };

/** The form is rarely used, so a button or a link to it opens it. */
function PasswordAndSessions() {
  const link = useLocation({ select: ({ hash, state }) => hash === 'password' && state.__TSR_key });
  const [followed, setFollowed] = useState<typeof link>(false);
  const [opened, setOpened] = useState<'button' | 'link' | 'canceled'>();
  const isOpen = opened === 'button' || opened === 'link';
  // It stays open when the address changes, with what was typed.
  if (link !== followed) {
    setFollowed(link);
    if (link && !isOpen) setOpened('link');
  }
  return (
    <Panel
      id="password"
      title="Password and sessions"
      description="Changing your password signs you out everywhere else. Sessions end 90 days after sign-in."
      actions={
        isOpen ? null : (
          <Button variant="default" autoFocus={opened === 'canceled'} onClick={() => setOpened('button')}>
            Change Password
          </Button>
        )
      }
    >
      <div
        className={`grid grid-cols-1 items-baseline gap-x-8 gap-y-5 ${isOpen ? 'min-[1080px]:grid-cols-2' : ''}`}
      >
        {isOpen ? (
          <ChangePassword autoFocus={opened === 'button'} onCancel={() => setOpened('canceled')} />
        ) : null}
        <Sessions />
      </div>
    </Panel>
  );
}

/** Changes the password and ends all other sessions. */
function ChangePassword({ autoFocus, onCancel }: { autoFocus: boolean; onCancel: () => void }) {
  const queryClient = useQueryClient();
  const { data: user } = useQuery(currentUser);
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/accounts/passwords.ts')).ChangePasswordBody,
    initialValues: empty,
    whenEmpty: whenPasswordsEmpty,
    submit: (body) => call(changePassword, { body }),
    failure: 'Failed to save changes',
    onSuccess: async () => {
      form.fields.reset();
      await queryClient.invalidateQueries(sessions);
      toast.success('Password changed successfully');
    },
  });
  return (
    <Form form={form} label="Change password">
      {/* tells password managers which account the password belongs to */}
      <input type="hidden" autoComplete="username" value={user?.email ?? ''} readOnly />
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        autoFocus={autoFocus}
        {...form.field('current_password')}
      />
      <div className={`${classes.pair} grid items-start gap-4`}>
        <NewPasswordFields form={form} label="New password" />
      </div>
      <div className="flex gap-2">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Saving...">
          Change Password
        </SubmitButton>
      </div>
    </Form>
  );
}

const DeleteAccountDialog = lazyDialog(
  async () => (await import('./DeleteAccountDialog.tsx')).DeleteAccountDialog,
);

function DeleteAccountPanel() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel
      id="delete-account"
      title="Delete account"
      description="Erases your personal data, and stops your API keys and webhooks."
      actions={
        <Button color="red" variant="outline" onClick={() => setAsking(true)}>
          Delete Account
        </Button>
      }
    >
      <DeleteAccountDialog opened={isAsking} onClose={() => setAsking(false)} />
    </Panel>
  );
}

const Plans = lazyPart(async () => (await import('../otp/plans/Plans.tsx')).Plans);

const LinkDomains = lazyPart(
  async () => (await import('../protection/message-links/LinkDomains.tsx')).LinkDomains,
);

const INPUT = ['wheel', 'touchstart', 'pointerdown', 'keydown'];

/** Keeps the section that the address names in its place while parts above it load, until the user does something. */
function useLinkedInPlace(): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (!hash) return;
    const observer = new ResizeObserver(() => document.getElementById(hash)?.scrollIntoView());
    const end = (): void => {
      observer.disconnect();
      for (const name of INPUT) window.removeEventListener(name, end);
    };
    for (const name of INPUT) window.addEventListener(name, end, { passive: true });
    observer.observe(document.body);
    return end;
  }, [hash]);
}

/** Sections that earlier mails and bookmarks look for here. */
const OF_TEAM = ['members', 'invitations', 'sso'];

export const Settings = () => {
  useLinkedInPlace();
  const may = useMay();
  const { data: user } = useQuery(currentUser);
  const sections = useMenuOf(pages.settings);
  const shown = useSections();
  const has = (id: string): boolean => shown.some((section) => section.id === id);
  const hash = useLocation({ select: (location) => location.hash });
  if (OF_TEAM.includes(hash)) return <Navigate to="/team" hash={hash} replace />;
  return (
    <UnsavedChanges>
      <PageHeading title={pages.settings.title}>
        Manage your account settings and security preferences.
      </PageHeading>
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 xl:grid-cols-[minmax(0,1fr)_9.5rem]">
        <OnThisPage sections={sections} />
        <div className={`${classes.panels} min-w-0`}>
          <Section id="profile" title="User">
            <ProfilePanel />
          </Section>
          <Later instead={<div className={classes.later} />}>
            <Security may={may} isBySso={user?.is_sso_session ?? false} />
          </Later>
          <Later instead={null}>
            <Messages />
            {has('delete-account') ? <DeleteAccountPanel /> : null}
          </Later>
        </div>
      </div>
    </UnsavedChanges>
  );
};

const Security = ({ may, isBySso }: { may: ReturnType<typeof useMay>; isBySso: boolean }) => {
  const activity = may('listAuditEntries') ? (
    <Panel
      id="activity"
      title="Activity"
      description="Your account’s sign-ins, changes and purchases, with device and IP address."
      actions={
        <ButtonLink to={otherPages.activity.path} variant="default">
          View Activity
        </ButtonLink>
      }
    />
  ) : null;
  return (
    <Section
      id="security"
      title="Security"
      description={
        isBySso
          ? 'How you sign in.'
          : 'How you sign in. A passkey is the strongest method, a code by SMS the weakest.'
      }
    >
      <div className="grid grid-cols-1 gap-5">
        <div className={`${classes.rows} grid grid-cols-1 rounded-12 border border-line bg-surface`}>
          {isBySso ? (
            <Panel title="Single sign-on" description="Your organization’s identity provider signs you in.">
              <p className="m-0 text-ink-soft">
                This session opens only this account. To change your password, passkeys, two-factor
                authentication or phone number, log out and sign in with your password or passkey.
              </p>
            </Panel>
          ) : (
            <>
              <PasskeysPanel />
              <AuthenticatorPanel />
              <TwoFactorPanel />
              <RecoveryCodesPanel />
            </>
          )}
          {activity}
        </div>
        {isBySso ? (
          <Panel title="SSO sessions" description="Your sign-ins to this account at your identity provider.">
            <Sessions />
          </Panel>
        ) : (
          <PasswordAndSessions />
        )}
      </div>
    </Section>
  );
};

const Messages = () => (
  <Section
    id="messages"
    title="OTP Configuration"
    description="Customize your OTP service branding, templates, and behavior"
  >
    <div className="grid grid-cols-1 gap-5">
      <Restricted to="updateBranding">
        <Room room={66.75} roomOnPhones={88.9}>
          <BrandingSettings />
        </Room>
      </Restricted>
      <Panel
        title="Templates"
        description="Named texts per channel and language, which a send chooses by name."
        actions={
          <ButtonLink to={otherPages.templates.path} variant="default">
            View Templates
          </ButtonLink>
        }
      />
      <FoldedPanel
        id="plans"
        title="Plans"
        description="Several channels in turn for one code, per country. The next one starts when a message does not arrive."
        room={12}
        roomOnPhones={16}
      >
        <Restricted to="updatePlans">
          <Plans />
        </Restricted>
      </FoldedPanel>
      <FoldedPanel
        id="link-domains"
        title="Link domains"
        description="Domains that your messages can link to. A DNS record proves that you own a domain."
        room={9.6}
        roomOnPhones={16.3}
      >
        <Restricted to="addMessageDomain">
          <LinkDomains />
        </Restricted>
      </FoldedPanel>
    </div>
  </Section>
);

const Section = (props: { id?: string; title: string; description?: string; children: ReactNode }) => (
  <section id={props.id} className="mb-10 scroll-mt-(--anchor)">
    <h2 className="mt-0 mb-3 text-20 font-650">{props.title}</h2>
    {props.description ? <p className="-mt-2 mb-3.5 text-ink-soft">{props.description}</p> : null}
    {props.children}
  </section>
);
