/** APIs of other standards and services, served by the same engine as our own. */
export { camaraRoutes } from './camara.ts';
