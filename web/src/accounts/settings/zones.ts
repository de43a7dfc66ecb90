const ofBrowser = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
const spaced = (name: string): string => name.replaceAll('_', ' ');

/** The browser's zone first, then all zones by continent: 'America' with 'Argentina/Buenos Aires'. */
export function zoneChoices() {
  const byContinent = Map.groupBy(Intl.supportedValuesOf('timeZone'), (name) => name.split('/')[0] ?? name);
  return [
    { value: '', label: `As this browser (${spaced(ofBrowser())})` },
    { value: 'UTC', label: 'UTC' },
    ...[...byContinent]
      .map(([group, names]) => ({
        group,
        items: names
          .filter((name) => name.includes('/'))
          .map((name) => ({ value: name, label: spaced(name.slice(group.length + 1)) })),
      }))
      .filter(({ items }) => items.length > 0),
  ];
}
