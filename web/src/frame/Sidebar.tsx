import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { mainPages, pages, secondaryPages } from '../pages.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import classes from './Sidebar.module.css';
import { UserMenu } from './UserMenu.tsx';

interface Props {
  /** icons only, with labels as tooltips */
  isCollapsed: boolean;
  /** called after navigation, to close the drawer */
  onChoose?: () => void;
}

export const Sidebar = ({ isCollapsed, onChoose }: Props) => (
  <nav className={classes.sidebar} data-collapsed={isCollapsed || undefined} aria-label="Main">
    <Link
      to={pages.verifications.path}
      className={classes.brand}
      onClick={onChoose}
      aria-label={deployment().brand_name}
    >
      <BrandMark />
      <span className={classes.words}>{deployment().brand_name}</span>
    </Link>
    <Places pages={mainPages} isCollapsed={isCollapsed} onChoose={onChoose} />
    <div className={classes.secondary}>
      <Places pages={secondaryPages} isCollapsed={isCollapsed} onChoose={onChoose} />
    </div>
    <UserMenu isCollapsed={isCollapsed} />
  </nav>
);

interface PlacesProps {
  pages: readonly (typeof mainPages | typeof secondaryPages)[number][];
  isCollapsed: boolean;
  onChoose: (() => void) | undefined;
}

const Places = ({ pages, isCollapsed, onChoose }: PlacesProps) => (
  <ul className={classes.places}>
    {pages.map(({ path, title, Icon }) => (
      <li key={path}>
        <Link
          to={path}
          className={classes.place}
          activeOptions={{ exact: path === '/', includeSearch: false }}
          onClick={onChoose}
          aria-label={isCollapsed ? title : undefined}
          data-tip={isCollapsed ? title : undefined}
          data-tip-side="right"
        >
          <Icon size={20} stroke={1.75} aria-hidden />
          <span className={classes.words}>{title}</span>
        </Link>
      </li>
    ))}
  </ul>
);
