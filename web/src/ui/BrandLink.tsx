import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { BrandMark } from './BrandMark.tsx';

/** The logo and the product's name on pages without the menu. */
export const BrandLink = () => (
  <Link
    to="/"
    className="inline-flex items-center gap-[0.6rem] self-start rounded-8 text-17 font-700 tracking-[-0.02em] text-ink no-underline"
  >
    <BrandMark />
    {deployment().brand_name}
  </Link>
);
