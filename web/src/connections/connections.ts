import { type Connection, listConnections, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { asPage } from '../api/list.ts';
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

/** The service returns all connections at once, so the browser searches, sorts and pages them. */
export const connectionPage = (search: Search) =>
  read(listConnections, {}, { select: ({ results }) => asPage(matching(results, search), search.page) });

function matching(all: readonly Connection[], { search, ordering }: Search): Connection[] {
  const wanted = search.trim().toLowerCase();
  const by = ordering.replace(/^-/, '') as 'created_at' | 'name' | 'last_used_at';
  const sign = ordering.startsWith('-') ? -1 : 1;
  return all
    .filter(({ name, system }) => `${name} ${SYSTEM_LABELS[system]} ${system}`.toLowerCase().includes(wanted))
    .sort((one, other) => sign * (one[by] ?? '').localeCompare(other[by] ?? ''));
}
