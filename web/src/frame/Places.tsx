import { Link } from '@tanstack/react-router';
import type { Page } from '../pages.ts';

export interface PlacesProps {
  /** icons only, with labels as tooltips */
  isCollapsed: boolean;
  /** called after navigation, to close the drawer */
  onChoose?: (() => void) | undefined;
}

/** `isExact`: not marked as current on the pages below its path. */
export type Place = Pick<Page, 'path' | 'title' | 'Icon'> & { isExact?: boolean };

/** Links of the sidebar. */
export const Places = ({ places, isCollapsed, onChoose }: PlacesProps & { places: readonly Place[] }) => (
  <ul className="m-0 grid list-none gap-0.5 p-0">
    {places.map(({ path, title, Icon, isExact = path === '/' }) => (
      <li key={path}>
        <Link
          to={path}
          className={`flex h-9 touch:h-11 items-center gap-[0.7rem] rounded-8 text-[0.90625rem] font-500 text-ink-soft no-underline hover:bg-line hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-600 aria-[current=page]:text-accent ${isCollapsed ? 'justify-center' : 'px-2'}`}
          activeOptions={{ exact: isExact, includeSearch: false }}
          onClick={onChoose}
          aria-label={isCollapsed ? title : undefined}
          data-tip={isCollapsed ? title : undefined}
          data-tip-side="right"
        >
          <Icon size={20} stroke={1.75} aria-hidden className="flex-none" />
          {isCollapsed ? null : <span className="truncate">{title}</span>}
        </Link>
      </li>
    ))}
  </ul>
);
