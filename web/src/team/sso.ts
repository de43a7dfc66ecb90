import { getSso } from '@sixdigit/contract/accounts/sso.ts';
import { read } from '../api/read.ts';

/** The account's single sign-on. */
export const sso = read(getSso, {});
