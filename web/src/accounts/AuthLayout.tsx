import { Button } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { reloadPage } from '../api/connection.ts';
import { isSiteDataBlocked } from '../api/site-data.ts';
import { PublicFooter } from '../public/PublicFooter.tsx';
import { BrandLink } from '../ui/BrandMark.tsx';
import { ProxyNotice } from '../ui/ProxyNotice.tsx';
import { SandboxBanner } from '../ui/SandboxBanner.tsx';
import classes from './AuthLayout.module.css';

const digits = ['4', '0', '7', '2', '9', ''];

/** The layout of sign-in, sign-up and password reset: a form next to a summary of the product. */
export const AuthLayout = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-dvh flex-col">
    <ProxyNotice />
    <SandboxBanner />
    <div className={`${classes.split} grid flex-1 grid-cols-1`}>
      <main className={`${classes.side} flex flex-col gap-8 px-5 py-6`}>
        <div className="flex">
          <BrandLink />
        </div>
        <div className={`${classes.form} w-full max-w-96`}>{children}</div>
        <PublicFooter inNewTab />
      </main>
      <div className={`${classes.picture} hidden flex-col justify-center p-12`} aria-hidden="true">
        <div className={`${classes.slots} mb-9 flex`}>
          {digits.map((digit) => (
            <span
              key={digit}
              className={`grid place-items-center font-mono font-500 ${digit === '' ? classes.caret : ''}`}
            >
              {digit}
            </span>
          ))}
        </div>
        <p className={`${classes.claim} m-0 leading-[1.2] font-650 tracking-[-0.02em] text-balance`}>
          Six digits, delivered and checked.
        </p>
        <p className={`${classes.more} mt-3 mb-0 max-w-112 text-17 text-balance`}>
          With one call to send and one to verify.
        </p>
      </div>
    </div>
  </div>
);

export const SignedOutLayout = () => (
  <AuthLayout>{isSiteDataBlocked() ? <SiteDataBlocked /> : <Outlet />}</AuthLayout>
);

/** Replaces the sign-in form if the browser cannot store a session. */
const SiteDataBlocked = () => (
  <>
    <h1>Site data is blocked</h1>
    <p>
      This browser does not store data for {window.location.host}, so it cannot keep you signed in. In the
      browser's settings, allow cookies and site data for this address, or free some space. Then try again.
    </p>
    <Button fullWidth onClick={() => void reloadPage()}>
      Try Again
    </Button>
  </>
);
