import type { ReactNode } from 'react';
import { SandboxBanner } from '../frame/SandboxBanner.tsx';
import { BrandLink } from '../ui/BrandMark.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { PublicFooter } from './PublicFooter.tsx';
import classes from './PublicLayout.module.css';

/** The layout of the public pages. */
export const PublicLayout = ({ children }: { children: ReactNode }) => (
  <div className={classes.page}>
    <SandboxBanner />
    <header className={classes.header}>
      <BrandLink />
      <nav aria-label="Account" className={classes.nav}>
        <ButtonLink to="/sign-in" variant="subtle">
          Sign In
        </ButtonLink>
        <ButtonLink to="/sign-up">Sign Up</ButtonLink>
      </nav>
    </header>
    <main className={classes.main}>{children}</main>
    <div className={classes.footer}>
      <PublicFooter />
    </div>
  </div>
);
