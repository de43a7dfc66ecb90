import { createFileRoute } from '@tanstack/react-router';
import { OperatorLayout } from '../../operator/OperatorLayout.tsx';

export const Route = createFileRoute('/_app/operator')({ component: OperatorLayout });
