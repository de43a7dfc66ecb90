import type { ReactNode } from 'react';
import { ButtonLink } from '../ui/links.tsx';

interface Props {
  children: ReactNode;
}

/** A form's heading and purpose. */
export const Intro = ({ title, children }: Props & { title: ReactNode }) => (
  <>
    <h1>{title}</h1>
    <p className="mt-0 mb-6 text-ink-soft">{children}</p>
  </>
);

/** A note between the fields. */
export const Notice = ({ children }: Props) => (
  <p className="m-0 text-13 leading-[1.5] text-ink-soft">{children}</p>
);

/** Below the form. */
export const BackToSignIn = ({ replace = false }: { replace?: boolean }) => (
  <ButtonLink
    to="/sign-in"
    replace={replace}
    search={({ sso: _, ...before }) => before}
    variant="subtle"
    fullWidth
    mt="xs"
  >
    Back to Sign In
  </ButtonLink>
);

/** A link to another page, below the form. */
export const OtherPage = ({ children }: Props) => (
  <p className="mt-6 mb-0 text-center text-ink-soft">{children}</p>
);
