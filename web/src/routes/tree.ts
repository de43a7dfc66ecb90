import { operatorRoutes } from './operator.ts';
import { publicRoutes } from './public.ts';
import { root } from './root.tsx';
import { app, appScreens, receipt } from './signed-in.ts';

export const routeTree = root.addChildren([
  ...publicRoutes,
  receipt,
  app.addChildren([...appScreens, operatorRoutes]),
]);
