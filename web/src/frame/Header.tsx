import { IconChevronRight, IconCoins, IconLayoutSidebar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { ButtonLink } from '../ui/links.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import { breadcrumbs } from './breadcrumbs.ts';
import { CommandTrigger } from './CommandTrigger.tsx';
import classes from './Header.module.css';
import { LoadingBar } from './LoadingBar.tsx';

/** Breadcrumbs, search and commands, balance and the Buy Credits button. */
export function Header({
  onToggleSidebar,
  onOpenPalette,
  isSidebarOpen,
}: {
  onToggleSidebar: () => void;
  onOpenPalette: () => void;
  isSidebarOpen: boolean;
}) {
  const { data: user } = useQuery(currentUser);
  return (
    <header className={classes.header}>
      <TipIcon
        size="lg"
        label="Toggle sidebar"
        tip="Toggle sidebar (Ctrl or ⌘ + B)"
        aria-expanded={isSidebarOpen}
        onClick={onToggleSidebar}
      >
        <IconLayoutSidebar size={20} stroke={1.75} aria-hidden />
      </TipIcon>
      <Crumbs />
      <CommandTrigger onOpen={onOpenPalette} />
      <div className={classes.credits} data-testid="credits">
        <IconCoins size={16} stroke={1.75} aria-hidden />
        <span>Credits</span>
        <strong>{(user?.credits ?? 0).toLocaleString('en-US')}</strong>
      </div>
      <ButtonLink to="/credits" className={classes.buy}>
        Buy Credits
      </ButtonLink>
      <LoadingBar />
    </header>
  );
}

function Crumbs() {
  const crumbs = breadcrumbs(useLocation({ select: (location) => location.pathname }));
  return (
    <nav aria-label="Breadcrumb" className={classes.crumbs}>
      <ol>
        {crumbs.map(({ label, path }, index) => (
          <li key={path}>
            {index > 0 ? <IconChevronRight size={14} aria-hidden /> : null}
            {index === crumbs.length - 1 ? (
              <span aria-current="page">{label}</span>
            ) : (
              <Link to={path}>{label}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
