import { Button } from '@mantine/core';
import { useState } from 'react';
import { sentence } from '../../api/call.ts';
import { isSignedIn, pathOfThisOrigin } from '../../api/session.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { AuthLayout } from '../AuthLayout.tsx';
import { Intro, OtherPage } from '../FormText.tsx';
import { beginSsoAt } from './sso-login.ts';

/**
 * The page with which an identity provider begins a sign-in (OpenID Connect Core 1.0, 4). It asks first, because any site can link
 * here, with a provider of its own.
 */
export const SsoStart = () => (
  <AuthLayout>
    <Start />
  </AuthLayout>
);

/** The page to open after the sign-in. */
function targetIn(given: URLSearchParams): string {
  const target = given.get('target_link_uri') ?? '/';
  const { origin } = window.location;
  return pathOfThisOrigin(target.startsWith(`${origin}/`) ? target.slice(origin.length) : target);
}

function Start() {
  const given = new URLSearchParams(window.location.search);
  const iss = given.get('iss') ?? '';
  const host = URL.parse(iss)?.host;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const begin = async (): Promise<void> => {
    setProblem(undefined);
    setBusy(true);
    try {
      await beginSsoAt({ iss, login_hint: given.get('login_hint') ?? undefined }, targetIn(given));
    } catch (cause) {
      setBusy(false);
      setProblem(sentence(cause, 'An unexpected error occurred'));
    }
  };
  return (
    <>
      <Intro title="Sign in with SSO">
        {host === undefined ? (
          'The link does not name your identity provider.'
        ) : (
          <>
            Continue only if your organization signs in at{' '}
            <strong className="font-600 wrap-anywhere">{host}</strong>.
            {isSignedIn() ? ' The new sign-in replaces your session in this browser.' : null}
          </>
        )}
      </Intro>
      <ErrorAlert problem={problem} />
      {host === undefined ? null : (
        <Button
          fullWidth
          className="mt-4"
          {...busyButton(isBusy)}
          onClick={() => {
            if (!isBusy) void begin();
          }}
        >
          {isBusy ? 'Opening...' : 'Continue'}
        </Button>
      )}
      <OtherPage>
        <ButtonLink to="/sign-in" search={{ sso: true }} replace variant="subtle">
          Enter Your Work Email Instead
        </ButtonLink>
      </OtherPage>
    </>
  );
}
