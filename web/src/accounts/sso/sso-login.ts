import { startSso, startSsoByIssuer, startSsoStepUp } from '@sixdigit/contract/accounts/sso.ts';
import { call } from '../../api/call.ts';
import { tabData } from '../../api/site-data.ts';

/** What the browser keeps while the user is at the identity provider. */
export interface Login {
  login_token: string;
  /** the page to open afterwards */
  redirect: string;
  /** a step-up, in a window that closes afterwards */
  isStepUp?: boolean;
}

const LOGIN = 'sso_login';
const LINK = 'sso_link';

/** Sends the browser to the identity provider of the address. */
export async function beginSso(email: string, redirect: string): Promise<void> {
  const { url, login_token } = await call(startSso, { body: { email } });
  keepLogin({ login_token, redirect });
  window.location.assign(url);
}

/** Sends the browser to the identity provider that began the sign-in. "Back" does not return to this page. */
export async function beginSsoAt(
  provider: { iss: string; login_hint: string | undefined },
  redirect: string,
): Promise<void> {
  const { url, login_token } = await call(startSsoByIssuer, { body: provider });
  keepLogin({ login_token, redirect });
  window.location.replace(url);
}

/** The page that sends its window to the identity provider, which asks the user to sign in again. */
export const STEP_UP_PAGE = '/sso/callback?confirm=true';

/** Opens it in a window, so that this page keeps what the user has typed. Returns false if the browser blocks windows. */
export const openStepUp = (): boolean =>
  window.open(STEP_UP_PAGE, 'sixdigit-step-up', 'popup,width=520,height=720') !== null;

/** Sends this window to the identity provider. */
export async function beginSsoStepUp(): Promise<void> {
  const { url, login_token } = await call(startSsoStepUp);
  keepLogin({ login_token, redirect: '/', isStepUp: true });
  window.location.replace(url);
}

const keepLogin = (login: Login): void => void tabData.set(LOGIN, JSON.stringify(login));

export function keptLogin(): Login | undefined {
  try {
    return JSON.parse(tabData.get(LOGIN) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** The token that links the identity to a person who exists, until that person has signed in. */
export const keepLink = (token: string | null): void => void tabData.set(LINK, token);
export const keptLink = (): string | null => tabData.get(LINK);
