import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { mainPages, pages, secondaryPages } from '../pages.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { UserMenu } from './UserMenu.tsx';

interface Props {
  /** icons only, with labels as tooltips */
  isCollapsed: boolean;
  /** called after navigation, to close the drawer */
  onChoose?: () => void;
}

export const Sidebar = ({ isCollapsed, onChoose }: Props) => (
  <nav
    className={`flex h-full flex-col gap-1 overflow-x-hidden overflow-y-auto py-3 ${isCollapsed ? 'px-1.5' : 'px-3'}`}
    aria-label="Main"
  >
    <Link
      to={pages.verifications.path}
      className={`mb-3.5 flex items-center gap-2.5 rounded-8 py-1.5 text-17 font-700 tracking-[-0.02em] text-ink no-underline ${isCollapsed ? 'justify-center' : 'px-1'}`}
      onClick={onChoose}
      aria-label={deployment().brand_name}
    >
      <BrandMark />
      {isCollapsed ? null : <span className="truncate">{deployment().brand_name}</span>}
    </Link>
    <Places pages={mainPages} isCollapsed={isCollapsed} onChoose={onChoose} />
    <div className="mt-auto pt-3">
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
  <ul className="m-0 grid list-none gap-0.5 p-0">
    {pages.map(({ path, title, Icon }) => (
      <li key={path}>
        <Link
          to={path}
          className={`flex h-9 items-center gap-[0.7rem] rounded-8 text-[0.90625rem] font-500 text-ink-soft no-underline hover:bg-line hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-600 aria-[current=page]:text-accent ${isCollapsed ? 'justify-center' : 'px-2'}`}
          activeOptions={{ exact: path === '/', includeSearch: false }}
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
