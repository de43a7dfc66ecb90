import { PUBLIC_SCREENS } from './public-screens.ts';
import { tour } from './tour.ts';

tour(PUBLIC_SCREENS);
