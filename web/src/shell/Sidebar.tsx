import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { mainPlaces, type Place, secondaryPlaces } from './navigation.ts';
import classes from './Sidebar.module.css';
import { UserMenu } from './UserMenu.tsx';

interface Props {
  /** icons only, with the words as tooltips */
  isCollapsed: boolean;
  /** after a place was chosen: the drawer closes */
  onChoose?: () => void;
}

export const Sidebar = ({ isCollapsed, onChoose }: Props) => (
  <div className={classes.sidebar} data-collapsed={isCollapsed || undefined}>
    <Link to={'/' as never} className={classes.brand} onClick={onChoose} aria-label={deployment().brand_name}>
      <BrandMark />
      <span className={classes.words}>{deployment().brand_name}</span>
    </Link>
    <nav aria-label="Main">
      <Places places={mainPlaces} isCollapsed={isCollapsed} onChoose={onChoose} />
    </nav>
    <nav aria-label="Help and settings" className={classes.secondary}>
      <Places places={secondaryPlaces} isCollapsed={isCollapsed} onChoose={onChoose} />
    </nav>
    <UserMenu isCollapsed={isCollapsed} />
  </div>
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
