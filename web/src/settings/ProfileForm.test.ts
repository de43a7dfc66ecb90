import { expect, test } from 'vitest';
import { isOffered, zoneGroups } from './ProfileForm.tsx';

test('zones are grouped by continent, and a zone unknown to the browser is recognized as missing', () => {
  const america = zoneGroups().find(({ group }) => group === 'America');
  expect(america?.items).toContainEqual({ value: 'America/New_York', label: 'New York' });
  expect(isOffered('America/New_York')).toBe(true);
  expect(isOffered('America/Nowhere')).toBe(false);
});
