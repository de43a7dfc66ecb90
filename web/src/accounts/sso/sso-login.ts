import { startSso } from '@sixdigit/contract/accounts/sso.ts';
import { call } from '../../api/call.ts';
import { tabData } from '../../api/site-data.ts';

/** What the browser keeps while the user is at the identity provider. */
interface Login {
  login_token: string;
  /** the page to open afterwards */
  redirect: string;
}

const LOGIN = 'sso_login';
const LINK = 'sso_link';

/** Sends the browser to the identity provider of the address. */
export async function beginSso(email: string, redirect: string): Promise<void> {
  const { url, login_token } = await call(startSso, { body: { email } });
  keepLogin({ login_token, redirect });
  window.location.assign(url);
}

export const keepLogin = (login: Login): void => void tabData.set(LOGIN, JSON.stringify(login));

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
