import { ACCOUNT_SCREENS } from './account-screens.ts';
import { tour } from './tour.ts';

tour(ACCOUNT_SCREENS);
