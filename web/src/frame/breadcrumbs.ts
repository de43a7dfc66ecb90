import { type Page, pages } from '../pages.ts';

const labels: Record<string, string> = {
  ...Object.fromEntries(Object.values<Page>(pages).map(({ path, label }) => [path.slice(1), label])),
  activity: 'Activity',
  profile: 'Profile',
  documentation: 'Docs',
  billing: 'Billing',
};

/** The breadcrumbs of a path. The last one is the current page. */
export function breadcrumbs(pathname: string): { label: string; path: string }[] {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length === 0) return [{ label: pages.verifications.label, path: pages.verifications.path }];
  return segments.map((segment, index) => ({
    label: labels[segment] ?? (isUuid(segment) ? `${segment.slice(0, 8)}…` : capitalised(segment)),
    path: `/${segments.slice(0, index + 1).join('/')}`,
  }));
}

/** A whole id would leave no room for the other breadcrumbs. */
const isUuid = (segment: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(segment);
const capitalised = (segment: string): string => segment.charAt(0).toUpperCase() + segment.slice(1);
