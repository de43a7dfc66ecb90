import { FilterSelect } from '../table/FilterSelect.tsx';
import type { List } from '../table/list.ts';
import { useKeyChoices } from './api-keys.ts';

/** Filters a list by API key or connection. A deleted one stays selected, because its history remains. */
export const ApiKeyFilter = <S extends { api_key: string }>({ list }: { list: List<S> }) => (
  <KeyFilter list={list} all={useKeyChoices()} />
);

/** The same filter for any account's keys. `all` is undefined while they load. */
export function KeyFilter<S extends { api_key: string }>({
  list,
  all,
}: {
  list: List<S>;
  all: readonly { id: string; name: string }[] | undefined;
}) {
  const chosen = list.search.api_key;
  const keys = (all ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = chosen === '' || keys.some(({ value }) => value === chosen);
  const other = { value: chosen, label: all ? 'Deleted key' : 'Loading...' };
  return (
    <FilterSelect
      list={list}
      name="api_key"
      label="API key"
      options={[{ value: '', label: 'All Keys' }, ...keys, ...(isKnown ? [] : [other])] as never}
    />
  );
}
