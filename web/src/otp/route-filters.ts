import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { anyText, oneOf } from '../table/search.ts';

/** Carrier names, as stored in verifications. */
export const CARRIERS = ['smtp', 'twilio', 'http', 'sandbox'] as const;
export const carrierLabels: Record<(typeof CARRIERS)[number], string> = {
  smtp: 'SMTP',
  twilio: 'Twilio',
  http: 'HTTP gateway',
  sandbox: 'Sandbox',
};

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
