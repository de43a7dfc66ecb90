import { type Page, pages } from '../pages.ts';

const labels: Record<string, string> = {
  ...Object.fromEntries(
    Object.values<Page>(pages).map(({ path, title, label = title }) => [path.slice(1), label]),
  ),
  activity: 'Activity',
  profile: 'Profile',
  documentation: 'Docs',
  billing: 'Billing',
};

export interface Crumb {
  label: string;
  path: string;
}

/** The breadcrumbs of a path. The last one is the current page. `names` are the names of ids in it. */
export function breadcrumbs(pathname: string, names: Record<string, string> = {}): Crumb[] {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length === 0) return [{ label: pages.verifications.label, path: pages.verifications.path }];
  return segments.map((segment, index) => ({
    label: names[segment] ?? labels[segment] ?? capitalised(segment),
    path: `/${segments.slice(0, index + 1).join('/')}`,
  }));
}

const capitalised = (segment: string): string => segment.charAt(0).toUpperCase() + segment.slice(1);
