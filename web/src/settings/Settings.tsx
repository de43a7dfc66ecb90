import type { ReactNode } from 'react';
import { UnsavedChanges } from '../form/UnsavedChanges.tsx';
import { otherPages, pages } from '../pages.ts';
import { AuthenticatorPanel, RecoveryCodesPanel } from '../second-factors/AuthenticatorPanel.tsx';
import { PasskeysPanel } from '../second-factors/PasskeysPanel.tsx';
import { Later } from '../ui/Later.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink } from '../ui/links.tsx';
import { Near } from '../ui/Near.tsx';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { BrandingSettings } from './BrandingForm.tsx';
import { ChangePassword } from './ChangePassword.tsx';
import { DeleteAccountPanel } from './DeleteAccount.tsx';
import { ProfilePanel } from './ProfileForm.tsx';
import { Sessions } from './Sessions.tsx';
import classes from './Settings.module.css';
import { TwoFactorPanel } from './TwoFactorForm.tsx';

const LinkDomains = lazyPart(async () => (await import('./message-links/LinkDomains.tsx')).LinkDomains);

const sections = [
  { id: 'profile', title: 'Profile' },
  { id: 'security', title: 'Security' },
  { id: 'messages', title: 'Messages' },
  { id: 'billing', title: 'Billing' },
  { id: 'delete-account', title: 'Delete account' },
] as const;

export const Settings = () => (
  <UnsavedChanges>
    <PageHeading title={pages.settings.title}>
      Manage your account settings and security preferences.
    </PageHeading>
    <div className={classes.page}>
      <OnThisPage sections={sections} />
      <div className={classes.sections}>
        <Section title="User">
          <ProfilePanel />
        </Section>
        <Later>
          <Security />
        </Later>
        <Later instead={null}>
          <Messages />
          <DeleteAccountPanel />
        </Later>
      </div>
    </div>
  </UnsavedChanges>
);

const Security = () => (
  <Section
    id="security"
    title="Security"
    description="How you prove who you are. A passkey is the strongest way, a code by SMS the weakest."
  >
    <div className={classes.user}>
      <PasskeysPanel />
      <AuthenticatorPanel />
      <TwoFactorPanel />
      <div className={classes.column}>
        <RecoveryCodesPanel />
        <Panel
          id="activity"
          title="Activity"
          description="Sign-ins, changes and purchases of your account, with the device and the network address."
        >
          <ButtonLink to={otherPages.activity.path} variant="default">
            View Activity
          </ButtonLink>
        </Panel>
      </div>
      <Panel
        title="Password and sessions"
        description="A new password signs you out everywhere but here. A session ends 90 days after its sign-in."
      >
        <div className={classes.halves}>
          <ChangePassword />
          <Sessions />
        </div>
      </Panel>
    </div>
  </Section>
);

const Messages = () => (
  <Section
    id="messages"
    title="OTP Configuration"
    description="Customize your OTP service branding, templates, and behavior"
  >
    <div className={classes.column}>
      <BrandingSettings />
      <Panel
        id="link-domains"
        title="Link domains"
        description="Domains that your messages may link to. A DNS record proves that a domain is yours."
      >
        <Near>
          <LinkDomains />
        </Near>
      </Panel>
    </div>
  </Section>
);

const Section = (props: { id?: string; title: string; description?: string; children: ReactNode }) => (
  <section id={props.id} className={classes.section}>
    <h2 className={classes.sectionTitle}>{props.title}</h2>
    {props.description ? <p className={classes.sectionText}>{props.description}</p> : null}
    {props.children}
  </section>
);
