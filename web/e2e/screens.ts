import { mainPages, secondaryPages } from '../src/pages.ts';
import type { Steps } from './steps.ts';

/** Every screen of the menu with its heading. */
export const SIGNED_IN = [...mainPages, ...secondaryPages].map(({ path, title }) => ({
  path,
  heading: title,
}));

/**
 * One screen with its states. The screenshots take a picture of each, and the tour makes every inspection of `inspections.ts` on
 * each, so a new screen, dialog, sheet or menu is photographed and inspected once it is listed.
 */
export interface Screen {
  name: string;
  /** `$account` is the id of the demonstration account, `$invitation` the token of its open invitation. */
  path: string;
  /** the demonstration account, a new account, or a viewer of the former; default: a visitor */
  as?: Who;
  /** a call that it reads: pictures also show the screen while it loads and when it fails */
  reads?: string;
  /** True if one of its calls fails, as it should. */
  fails?: true;
  /** The tour loads the page anew in windows of these widths. Default: it opens the screen inside the dashboard, at 390. */
  loadsAt?: readonly (390 | 820 | 1280)[];
  /** True if its rows have as many lines as their texts need, so no row that is shown meanwhile is as high as all of them. */
  rowsVary?: true;
  /** a larger layout shift that is accepted while it loads, such as that of filters that take a second row once they are known */
  mostShift?: number;
  states?: readonly State[];
}

export type Who = 'full' | 'empty' | 'viewer';

export interface State {
  name: string;
  /** the name of the dialog, sheet or menu that opens; default: the screen itself changes */
  title?: string | RegExp;
  steps: Steps;
  /** True if one of its calls fails, as it should. */
  fails?: true;
  /** closes what opened; default: Escape */
  close?: Steps;
  /** opens only in a window of this width; default: in a wide one, and stays open in narrower ones */
  width?: 390 | 1280;
  /** True if it has no control to return the focus to, such as a dialog that follows another. */
  isWithoutOpener?: true;
  /** True if the screen is another one afterwards, so that it is loaded again. */
  changesScreen?: true;
}
