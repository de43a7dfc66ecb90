import { startSso, startSsoStepUp } from '@sixdigit/contract/accounts/sso.ts';
import { call } from '../../api/call.ts';
import { tabData } from '../../api/site-data.ts';

/** What the browser keeps while the user is at the identity provider. */
export interface Login {
  login_token: string;
  /** the page to open afterwards */
  redirect: string;
  /** for a step-up, whether it runs in a window that closes afterwards */
  confirming?: 'in window' | 'in tab';
}

const LOGIN = 'sso_login';
const LINK = 'sso_link';

/** Sends the browser to the identity provider of the address. */
export async function beginSso(email: string, redirect: string): Promise<void> {
  const { url, login_token } = await call(startSso, { body: { email } });
  keepLogin({ login_token, redirect });
  window.location.assign(url);
}

const PAGE = '/sso/callback?confirm=';

/**
 * Opens the window in which the provider asks the user to sign in again. If the browser blocks it, this tab leads to the
 * provider and returns. Returns whether the window is open.
 */
export function confirmBySso(): boolean {
  const size = 'popup,width=520,height=720';
  const isOpen = window.open(`${PAGE}window`, 'sixdigit-step-up', size) !== null;
  const { pathname, search, hash } = window.location;
  if (!isOpen) window.location.assign(`${PAGE}${encodeURIComponent(pathname + search + hash)}`);
  return isOpen;
}

/** Sends this window to the identity provider. `confirm`: 'window', or the page to which the tab returns. */
export async function beginSsoStepUp(confirm: string): Promise<void> {
  const { url, login_token } = await call(startSsoStepUp);
  const inWindow = confirm === 'window';
  keepLogin({
    login_token,
    redirect: inWindow ? '/' : confirm,
    confirming: inWindow ? 'in window' : 'in tab',
  });
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
