import { countryName } from '../ui/country-name.ts';

/**
 * Describes the destination that an emailed link allows: 'numbers that begin with +1415555'. The token's first part is the
 * base64url of account, kind, value and expiry. Only the server checks its signature. Undefined if the token is incomplete.
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
