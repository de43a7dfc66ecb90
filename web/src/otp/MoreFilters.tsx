import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { deployment } from '../api/deployment.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import type { List } from '../table/list.ts';
import { labelOf } from './channel.ts';
import { CARRIERS, carrierLabels, type RouteSearch } from './route-filters.ts';

// In the same chunk, because only a filtered list has them.
export { NoMatch } from './NoMatch.tsx';
export { RecipientPart } from './RecipientPart.tsx';

const regions = new Intl.DisplayNames(['en-US'], { type: 'region' });

/** Every country code that the browser can name. */
function allCountries(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !/^(EU|EZ|UN|ZZ|XA|XB|QO)$/.test(code) && regions.of(code) !== code);
}

/** The country choices, by name. The chosen country stays in the list. */
function countryChoices(chosen: string): { value: string; label: string }[] {
  const { phone_countries } = deployment();
  const codes = new Set(phone_countries.includes('*') ? allCountries() : phone_countries);
  if (/^[A-Z]{2}$/.test(chosen)) codes.add(chosen);
  return [...codes]
    .map((code) => ({ value: code, label: regions.of(code) ?? code }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** The rarely used filters of a list with `routeFilters`. */
export const MoreFilters = ({ list }: { list: Pick<List<RouteSearch>, 'search' | 'change'> }) => (
  <>
    <FilterSelect
      list={list}
      name="channel"
      label="Channel"
      options={[
        { value: 'all', label: 'All Channels' },
        ...CHANNELS.map((value) => ({ value, label: labelOf(value) })),
      ]}
    />
    <FilterSelect
      list={list}
      name="country"
      label="Country"
      options={[{ value: '', label: 'All Countries' }, ...countryChoices(list.search.country)]}
    />
    <FilterSelect
      list={list}
      name="carrier"
      label="Carrier"
      options={[
        { value: 'all', label: 'All Carriers' },
        ...CARRIERS.map((value) => ({ value, label: carrierLabels[value] })),
      ]}
    />
  </>
);
