import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';
import { Privacy } from '../public/Privacy.tsx';

export const Route = createFileRoute('/privacy')({ head: titled(otherPages.privacy), component: Privacy });
