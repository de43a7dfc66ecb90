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
    label: labels[segment] ?? segment.charAt(0).toUpperCase() + segment.slice(1),
    path: `/${segments.slice(0, index + 1).join('/')}`,
  }));
}
