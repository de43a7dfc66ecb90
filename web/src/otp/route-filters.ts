import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { ENVIRONMENT_CARRIERS } from '@sixdigit/contract/environment-carriers.ts';
import { anyText, oneOf } from '../table/search.ts';

/** The names of carriers, as stored in verifications. Those of the console have their own. */
export const carrierLabels = { ...ENVIRONMENT_CARRIERS, sandbox: 'Sandbox' };
export const CARRIERS = Object.keys(carrierLabels) as (keyof typeof carrierLabels)[];

/** Test sends have a carrier by which no list filters. */
const names: Record<string, string | undefined> = { ...carrierLabels, test: 'Test' };

export const carrierName = (carrier: string): string => names[carrier] ?? carrier;

/** A list's filters by channel, country and carrier in the URL. */
export const routeFilters = {
  channel: oneOf(['all', ...CHANNELS], 'all'),
  country: anyText,
  carrier: oneOf(['all', ...CARRIERS], 'all'),
};
export interface RouteSearch {
  channel: 'all' | (typeof CHANNELS)[number];
  country: string;
  carrier: 'all' | (typeof CARRIERS)[number];
}

/** The same filters in the server's format. */
export const routeQuery = ({ channel, country, carrier }: RouteSearch) => ({
  ...(channel === 'all' ? {} : { channel }),
  ...(/^[A-Z]{2}$/.test(country) ? { country } : {}),
  ...(carrier === 'all' ? {} : { carrier }),
});

export const hasRoute = (search: RouteSearch): boolean =>
  search.channel !== 'all' || search.country !== '' || search.carrier !== 'all';
