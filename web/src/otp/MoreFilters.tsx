import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { deployment } from '../api/deployment.ts';
import { countriesOf } from '../form/countries.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import type { List } from '../table/list.ts';
import { labelOf } from '../ui/channel.ts';
import { CARRIERS, carrierLabels, type RouteSearch } from './route-filters.ts';

/** The country choices, by name. The chosen country stays in the list. */
function countryChoices(chosen: string): { value: string; label: string }[] {
  const { phone_countries } = deployment();
  const known = countriesOf(phone_countries);
  const isMissing = /^[A-Z]{2}$/.test(chosen) && !known.some(({ code }) => code === chosen);
  const all = isMissing ? countriesOf([...known.map(({ code }) => code), chosen]) : known;
  return all.map(({ code, name }) => ({ value: code, label: name }));
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
