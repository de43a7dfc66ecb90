import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { zoneOfBrowser } from '../ui/dates.ts';
import { isOffered, type ZoneGroup, zoneGroups, zoneText } from './zones.ts';

/** Longer than a screen takes to be drawn. */
const LATER_MS = 400;

const ofBrowser = (
  <>
    <option value="">As this browser ({zoneText(zoneOfBrowser())})</option>
    <option value="UTC">UTC</option>
  </>
);
let all: React.JSX.Element | undefined;
/** Over 400 options, made once. */
const allZones = (): React.JSX.Element => {
  all ??= (
    <>
      {ofBrowser}
      {zoneGroups().map(({ group, items }: ZoneGroup) => (
        <optgroup key={group} label={group}>
          {items.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
  return all;
};

/** The time zone of the account. All zones but the chosen one are added after the screen has been drawn. */
export function ZoneSelect(props: NativeSelectProps) {
  const [isWhole, setWhole] = useState(all !== undefined);
  useEffect(() => {
    const timer = setTimeout(() => setWhole(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  const chosen = String(props.value ?? '');
  const isListed = chosen === '' || chosen === 'UTC' || (isWhole && isOffered(chosen));
  return (
    <NativeSelect {...props} onFocus={() => setWhole(true)}>
      {isWhole ? allZones() : ofBrowser}
      {isListed ? null : <option value={chosen}>{zoneText(chosen)}</option>}
    </NativeSelect>
  );
}
