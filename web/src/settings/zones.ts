import { isTimeZone } from '@sixdigit/contract/local-time.ts';

/** 'America/New York' */
export const zoneText = (name: string): string => name.replaceAll('_', ' ');

export interface ZoneGroup {
  group: string;
  items: { value: string; label: string }[];
}

/** All zones by continent: 'America' with 'Argentina/Buenos Aires'. */
export function zoneGroups(): ZoneGroup[] {
  const names = Intl.supportedValuesOf('timeZone').filter(isTimeZone);
  const byContinent = Map.groupBy(names, (name) => name.split('/')[0] ?? name);
  return [...byContinent]
    .map(([group, names]) => ({
      group,
      items: names
        .filter((name) => name.includes('/'))
        .map((name) => ({ value: name, label: zoneText(name.slice(group.length + 1)) })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Browsers know some zones by different names, so the chosen one may be missing. */
export const isOffered = (zone: string): boolean =>
  zoneGroups().some(({ items }) => items.some(({ value }) => value === zone));
