import { expect, test } from 'vitest';
import { breadcrumbs } from './breadcrumbs.ts';

test.each([
  ['/', 'Activity'],
  ['/credits', 'Credits'],
  ['/api-keys', 'API Keys'],
  ['/activity', 'Activity'],
  ['/logs', 'Request Logs'],
  ['/profile', 'Profile'],
  ['/settings', 'Settings'],
  ['/docs', 'Docs'],
  ['/documentation', 'Docs'],
  ['/billing', 'Billing'],
  ['/webhooks', 'Webhooks'],
  ['/unknown', 'Unknown'],
])('the breadcrumb of %s is %s', (path, label) => {
  expect(breadcrumbs(path)).toEqual([{ label, path }]);
});

test('every segment of a path has its own breadcrumb with the path up to it', () => {
  expect(breadcrumbs('/settings/billing/')).toEqual([
    { label: 'Settings', path: '/settings' },
    { label: 'Billing', path: '/settings/billing' },
  ]);
});
