import { CONSOLE_SCREENS } from './console-screens.ts';
import { tour } from './tour.ts';

tour(CONSOLE_SCREENS);
