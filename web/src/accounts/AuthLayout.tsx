import type { ReactNode } from 'react';
import { ProxyNotice } from '../frame/ProxyNotice.tsx';
import { SandboxBanner } from '../frame/SandboxBanner.tsx';
import { PublicFooter } from '../public/PublicFooter.tsx';
import { BrandLink } from '../ui/BrandMark.tsx';
import classes from './AuthLayout.module.css';

const digits = ['4', '0', '7', '2', '9', ''];

/** The layout of sign-in, sign-up and password reset: a form next to a summary of the product. */
export const AuthLayout = ({ children }: { children: ReactNode }) => (
  <div className={classes.page}>
    <ProxyNotice />
    <SandboxBanner />
    <div className={classes.split}>
      <main className={classes.side}>
        <BrandLink />
        <div className={classes.form}>{children}</div>
        <PublicFooter inNewTab />
      </main>
      <div className={classes.picture} aria-hidden="true">
        <div className={classes.slots}>
          {digits.map((digit) => (
            <span key={digit} className={digit === '' ? classes.caret : undefined}>
              {digit}
            </span>
          ))}
        </div>
        <p className={classes.claim}>Six digits, delivered and checked.</p>
        <p className={classes.more}>By SMS, voice or email, with one call to send and one to verify.</p>
      </div>
    </div>
  </div>
);
