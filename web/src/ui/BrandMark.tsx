import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';

/** The logo: six slots, the last one filled. */
export const BrandMark = ({ size = 28 }: { size?: number }) => (
  <svg className="flex-none" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect fill="#035961" width="32" height="32" rx="9" />
    {[7, 17].map((y) =>
      [6, 13.5, 21].map((x) => (
        <rect
          key={`${x}-${y}`}
          fill={x === 21 && y === 17 ? '#ffffff' : '#9fd6dc'}
          x={x}
          y={y}
          width="5"
          height="8"
          rx="2.5"
        />
      )),
    )}
  </svg>
);

/** The logo and the product's name on pages without the menu. */
export const BrandLink = () => (
  <Link
    to="/"
    className="inline-flex items-center gap-[0.6rem] rounded-8 text-17 font-700 tracking-[-0.02em] text-ink no-underline touch:min-h-11"
  >
    <BrandMark />
    {deployment().brand_name}
  </Link>
);
