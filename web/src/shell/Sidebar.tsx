import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { mainPlaces, type Place, secondaryPlaces } from './navigation.ts';
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
    <Link to={'/' as never} className={classes.brand} onClick={onChoose} aria-label={deployment().brand_name}>
      <BrandMark />
      <span className={classes.words}>{deployment().brand_name}</span>
    </Link>
    <Places places={mainPlaces} isCollapsed={isCollapsed} onChoose={onChoose} />
    <div className={classes.secondary}>
      <Places places={secondaryPlaces} isCollapsed={isCollapsed} onChoose={onChoose} />
    </div>
    <UserMenu isCollapsed={isCollapsed} />
  </nav>
);

interface PlacesProps {
  places: readonly Place[];
  isCollapsed: boolean;
  onChoose: (() => void) | undefined;
}

const Places = ({ places, isCollapsed, onChoose }: PlacesProps) => (
  <ul className={classes.places}>
    {places.map(({ to, label, Icon }) => (
      <li key={to}>
        <Tooltip label={label} position="right" disabled={!isCollapsed}>
          <Link
            to={to as never}
            className={classes.place}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            onClick={onChoose}
            aria-label={isCollapsed ? label : undefined}
          >
            <Icon size={20} stroke={1.75} aria-hidden />
            <span className={classes.words}>{label}</span>
          </Link>
        </Tooltip>
      </li>
    ))}
  </ul>
);
