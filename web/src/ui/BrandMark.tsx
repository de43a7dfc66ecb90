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
