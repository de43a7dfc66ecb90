import { ACCOUNT_SCREENS } from './account-screens.ts';
import { CONSOLE_SCREENS } from './console-screens.ts';
import { PUBLIC_SCREENS } from './public-screens.ts';
import type { Screen, Who } from './screens.ts';
import { clicks, type Steps } from './steps.ts';

/** One state of one screen, as a picture shows it. */
export interface Picture {
  name: string;
  path: string;
  /** default: a visitor */
  as?: Who;
  /** an API call that fails */
  failing?: string;
  /** an API call that never gets a response */
  waiting?: string;
  /** only the window instead of the whole page */
  isCut?: boolean;
  /** the steps before the picture is taken */
  steps?: Steps;
}

export const SCREENS = [...PUBLIC_SCREENS, ...ACCOUNT_SCREENS, ...CONSOLE_SCREENS];

/** Each screen and each of its states; the screen also while it loads and when it fails. */
const picturesOf = ({ name, path, as, reads, states = [] }: Screen): Picture[] => {
  const screen = { path, ...(as && { as }) };
  const stem = name.replace(/-full$/, '');
  return [
    { ...screen, name },
    ...(reads
      ? [
          { ...screen, name: `${stem}-failing`, failing: reads },
          { ...screen, name: `${stem}-loading`, waiting: reads },
        ]
      : []),
    ...states
      // Phones have their own look.
      .filter(({ width }) => width !== 390)
      .map((state) => ({ ...screen, name: state.name, steps: state.steps })),
  ];
};

export const PICTURES: Picture[] = [
  ...SCREENS.flatMap(picturesOf),
  { name: 'sidebar-toggled', path: '/', as: 'full', steps: clicks('Toggle sidebar') },
  { name: 'readme', path: '/', as: 'full', isCut: true },
];
