import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, HeadContent, Outlet } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ScreenError } from '../frame/RouteError.tsx';

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  head: () => ({ meta: [{ title: deployment().brand_name }] }),
  component: () => (
    <>
      <HeadContent />
      <Outlet />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: ScreenError,
});
