import type { ReactNode } from 'react';
import { pages } from '../../pages.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { BrandingSettings } from './BrandingForm.tsx';
import { ChangePassword } from './ChangePassword.tsx';
import { DeleteAccountPanel } from './DeleteAccount.tsx';
import { ProfilePanel } from './ProfileForm.tsx';
import { Sessions } from './Sessions.tsx';
import classes from './Settings.module.css';
import { TwoFactorPanel } from './TwoFactorForm.tsx';

export const Settings = () => (
  <>
    <PageHeading title={pages.settings.title}>
      Manage your account settings and security preferences.
    </PageHeading>
    <Section title="User">
      <div className={classes.user}>
        <ProfilePanel />
        <Panel title="Password and sessions" description="A new password signs you out everywhere but here.">
          <div className={classes.column}>
            <ChangePassword />
            <Sessions />
          </div>
        </Panel>
        <TwoFactorPanel />
      </div>
    </Section>
    <Section
      title="OTP Configuration"
      description="Customize your OTP service branding, templates, and behavior"
    >
      <BrandingSettings />
    </Section>
    <DeleteAccountPanel />
  </>
);

const Section = (props: { title: string; description?: string; children: ReactNode }) => (
  <section className={classes.section}>
    <h2 className={classes.sectionTitle}>{props.title}</h2>
    {props.description ? <p className={classes.sectionText}>{props.description}</p> : null}
    {props.children}
  </section>
);
