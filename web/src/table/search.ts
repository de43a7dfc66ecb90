import type { SearchMiddleware, SearchSchemaInput } from '@tanstack/react-router';

/** Reads one filter from the URL. An invalid value becomes the default. */
export interface Filter<T extends string> {
  byDefault: T;
  read: (raw: unknown) => T;
}

export const oneOf = <const T extends string>(values: readonly T[], byDefault: NoInfer<T>): Filter<T> => ({
  byDefault,
  read: (raw) => values.find((value) => value === String(raw)) ?? byDefault,
});
/** Any text, such as an id; '' means no filter. */
export const anyText: Filter<string> = {
  byDefault: '',
  read: (raw) => (raw === undefined ? '' : String(raw)),
};

type Filters = Record<string, Filter<string>>;
type None = Record<never, never>;
type FilterValues<F extends Filters> = { [K in keyof F]: F[K] extends Filter<infer T> ? T : never };

/** The state that a list screen keeps in the URL. */
export type ListSearch<O extends string = string, F extends Filters = Filters, V extends Filters = None> = {
  page: number;
  search: string;
  ordering: O;
} & FilterValues<F> &
  FilterValues<V>;

/**
 * Declares a list's URL state: `const logs = listSearch({ orderings, ordering: '-created_at', filters: { … } })`.
 * Spread `logs.routing` into the route's options; `useList(logs)` reads and changes it.
 */
export function listSearch<const O extends string, F extends Filters, V extends Filters = None>(declared: {
  /** allowed orderings; a leading `-` means descending */
  orderings: readonly O[];
  ordering: NoInfer<O | `-${O}`>;
  filters: F;
  /** choices of what the list shows, such as live or test rows: not filters, and kept when the filters are cleared */
  views?: V;
}) {
  type S = ListSearch<O | `-${O}`, F, V>;
  const filters = Object.entries(declared.filters);
  const choices = [...filters, ...Object.entries(declared.views ?? {})];
  const orderings: readonly string[] = declared.orderings.flatMap((field) => [field, `-${field}`]);
  const defaults = {
    page: 1,
    search: '',
    ordering: declared.ordering,
    ...Object.fromEntries(choices.map(([name, filter]) => [name, filter.byDefault])),
  } as S;

  const read = (raw: Record<string, unknown>): S =>
    ({
      page: Math.max(1, Math.trunc(Number(raw.page)) || 1),
      search: raw.search === undefined ? '' : String(raw.search),
      ordering: orderings.find((ordering) => ordering === raw.ordering) ?? declared.ordering,
      ...Object.fromEntries(choices.map(([name, filter]) => [name, filter.read(raw[name])])),
    }) as S;

  /** leaves out values that equal their default */
  const shorten: SearchMiddleware<S> = ({ search, next }) =>
    Object.fromEntries(
      Object.entries(next(search)).filter(
        ([name, value]) => value !== (defaults as Record<string, unknown>)[name],
      ),
    ) as S;

  return {
    defaults,
    views: Object.keys(declared.views ?? {}),
    /** whether a search or a filter differs from its default */
    isFiltered: (search: S): boolean =>
      search.search !== '' ||
      filters.some(([name, filter]) => (search as Record<string, unknown>)[name] !== filter.byDefault),
    routing: {
      validateSearch: (raw: Partial<S> & SearchSchemaInput): S => read(raw),
      search: { middlewares: [shorten] },
    },
  };
}

/** Writes plain values, `?days=15&search=555`. The router's default would quote numeric strings. */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text));
export function stringifySearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') text.set(name, String(value));
  }
  return text.size === 0 ? '' : `?${text}`;
}
