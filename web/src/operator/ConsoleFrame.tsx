import { IconChevronLeft, IconDoorExit, IconServerCog } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { breadcrumbs } from '../frame/breadcrumbs.ts';
import { Places, type PlacesProps } from '../frame/Places.tsx';
import { Trail } from '../frame/Trail.tsx';
import { type PlaceGroup, pagesFor, useAccountId, useAccountName, viewsOf } from './console-places.ts';
import classes from './Operator.module.css';
import { needsSecondFactor, operatorSelf } from './operator.ts';
import { firstCodePage, operatorPages as pages } from './operator-pages.ts';

/** In the file that loads with the console, so that it opens at once. */
export { ConsolePalette } from './ConsolePalette.tsx';

const EXIT = 'Back to Your Account';

/** The console's pages or, in an account, its views. Without a second factor, the console has no pages. */
export function ConsoleNavigation(props: PlacesProps) {
  const { data: user } = useQuery(currentUser);
  const { error } = useQuery(operatorSelf);
  const id = useAccountId();
  const name = useAccountName();
  const isRefused = needsSecondFactor(error);
  const role = isRefused ? undefined : user?.operator_role;
  return (
    <div className={`${classes.navigation} flex flex-1 flex-col`}>
      {role && id !== undefined ? (
        <>
          <Places places={[ALL_ACCOUNTS]} {...props} />
          <Navigation label="Account" groups={[{ title: name ?? '', places: viewsOf(id) }]} {...props} />
        </>
      ) : null}
      {role && id === undefined ? <Navigation label="Operator" groups={pagesFor(role)} {...props} /> : null}
      <div className="mt-auto pt-3">
        <Places places={[{ path: '/', title: EXIT, Icon: IconDoorExit }]} {...props} />
      </div>
    </div>
  );
}

const ALL_ACCOUNTS = {
  path: pages.accounts.path,
  title: 'All Accounts',
  Icon: IconChevronLeft,
  isExact: true,
};

const Navigation = ({
  label,
  groups,
  ...props
}: PlacesProps & { label: string; groups: readonly PlaceGroup[] }) => (
  <nav aria-label={label}>
    {groups.map(({ title, places }) => (
      <div key={title ?? ''} className={classes.group}>
        {title && !props.isCollapsed ? (
          <div className={`${classes.groupTitle} truncate text-13 font-600 text-ink-soft`}>{title}</div>
        ) : null}
        <Places places={places} {...props} />
      </div>
    ))}
  </nav>
);

/** The header's sign of the console, the breadcrumbs and, on phones, the way back to the operator's own account. */
export function ConsoleTrail() {
  const pathname = useLocation({ select: (location) => location.pathname });
  const id = useAccountId();
  const name = useAccountName();
  const [, ...crumbs] = breadcrumbs(pathname, {
    'opt-outs': pages.optOuts.title,
    'first-code': firstCodePage.title,
    ...(id !== undefined && name && { [id]: name }),
  });
  return (
    <div className={`${classes.trail} flex min-w-0 flex-1 items-center gap-2`}>
      {id === undefined ? null : (
        <Link
          to={ALL_ACCOUNTS.path}
          className={`${classes.sign} flex items-center md:hidden`}
          aria-label={ALL_ACCOUNTS.title}
          data-tip={ALL_ACCOUNTS.title}
        >
          <IconChevronLeft size={20} stroke={1.75} aria-hidden />
        </Link>
      )}
      <Link
        to={pages.overview.path}
        className={`${classes.sign} flex items-center ${id === undefined ? '' : 'max-md:hidden'}`}
        aria-label="Operator"
      >
        <IconServerCog size={16} stroke={1.75} aria-hidden />
        <span className="max-md:hidden">Operator</span>
      </Link>
      <Trail crumbs={crumbs.length === 0 ? [{ label: pages.overview.title, path: pathname }] : crumbs} />
      <Link to="/" className={`${classes.exit} flex items-center`} aria-label={EXIT} data-tip={EXIT}>
        <IconDoorExit size={20} stroke={1.75} aria-hidden />
      </Link>
    </div>
  );
}
