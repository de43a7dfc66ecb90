import { countryName } from './countries.ts';

/**
 * The destination that the link of a mail allows, for people: 'numbers that begin with +1415555'. The first part of the token is base64url of
 * account, kind, value and end. Only the server checks its signature. Undefined if the token is incomplete.
 */
export function destinationOfToken(token: string): string | undefined {
  const [, kind, value] = decoded(token.split('.')[0] ?? '').split(' ');
  if (kind === 'prefix' && value && /^\+\d+$/.test(value)) return `numbers that begin with ${value}`;
  if (kind === 'country' && value && /^[A-Z]{2}$/.test(value)) return `numbers of ${countryName(value)}`;
  return undefined;
}

function decoded(base64url: string): string {
  try {
    return atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
