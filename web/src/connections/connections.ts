import { type Connection, listConnections, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { pageWithin } from '../api/list.ts';
import { read } from '../api/read.ts';
import { apiKeySearch } from '../api-keys/api-keys.ts';

/** Whether the requests of the system do not tell how long its codes are valid. */
export const needsExpiry = (system: SystemName): boolean => system !== 'kratos' && system !== 'webhook';

/** Whether the requests of the system may contain only a code, without a text. */
export const needsMessage = (system: SystemName): boolean =>
  system !== 'keycloak' && system !== 'fusionauth' && system !== 'novu' && system !== 'twilio-messages';

/** Whether requests of the system can name a language. */
export const namesLanguage = (system: SystemName): boolean => system === 'logto' || system === 'webhook';

/** Where its settings are entered. Some connections are for any system. */
export const placeOf = (system: SystemName): string =>
  system === 'webhook' || system === 'twilio-messages' ? 'your system' : SYSTEM_LABELS[system];

/** Whether the requests of the system may contain only a text, in which the code must be found. */
export const needsPattern = (system: SystemName): boolean =>
  system !== 'supabase' && system !== 'zitadel' && system !== 'logto';

/** The list has the search and the orderings of that of API keys. */
export const connectionSearch = apiKeySearch;
type Search = typeof connectionSearch.defaults;

const searched = ({ name, system }: Connection): string => `${name} ${SYSTEM_LABELS[system]} ${system}`;
export const connectionPage = (search: Search) =>
  read(listConnections, {}, { select: ({ results }) => pageWithin(results, search, searched) });
